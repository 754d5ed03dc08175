"""Random machines with random tendons, as MJCF."""

import numpy as np

__all__ = ["machine"]


def machine(seed: int, bodies: int = 4, tendons: int = 3, options: str = "") -> str:
    """A tree of bodies with sites and wrapping geoms, and tendons that run over them."""
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(-1, k)) if k else -1 for k in range(bodies)]
    places = {k: body_places(rng, f"b{k}") for k in range(bodies)}
    world = body_places(rng, "w")
    texts = {k: body(rng, k, places[k]) for k in range(bodies)}
    nested = [nest(k, parents, texts) for k in range(bodies) if parents[k] < 0]
    parts = [world, *places.values()]
    paths = "".join(spatial(rng, k, parts, options) for k in range(tendons))
    scalar = [k for k in range(bodies) if 'type="ball"' not in texts[k]]
    if scalar:
        terms = "".join(f'<joint joint="j{k}" coef="{rng.uniform(-2, 2)!r}"/>' for k in scalar)
        paths += f'<fixed name="f" {options}>{terms}</fixed>'
    return (
        f'<mujoco model="tendons{seed}"><compiler angle="radian"/><option timestep="0.001"/>'
        f"<worldbody>{sites(world)}{''.join(nested)}</worldbody><tendon>{paths}</tendon></mujoco>"
    )


def body_places(rng: np.random.Generator, name: str) -> dict:
    """Points of a body, and an object to wrap around with points inside it and beside it."""
    kind = str(rng.choice(["sphere", "cylinder"]))
    radius = float(rng.uniform(0.02, 0.15))
    center = rng.uniform(-0.15, 0.15, 3)
    axis = rng.normal(size=3)
    toward = rng.normal(size=3)
    toward /= np.linalg.norm(toward)
    points = {f"{name}s{k}": rng.uniform(-0.5, 0.5, 3) for k in range(3)}
    points[f"{name}in"] = center + 0.3 * radius * toward
    points[f"{name}out"] = center + 2.0 * radius * toward
    return {"name": name, "points": points, "geom": (kind, radius, center, axis)}


def sites(place: dict) -> str:
    kind, radius, center, axis = place["geom"]
    size = numbers([radius] if kind == "sphere" else [radius, 0.3])
    text = "".join(f'<site name="{name}" pos="{numbers(p)}"/>' for name, p in place["points"].items())
    return text + (
        f'<geom name="{place["name"]}g" type="{kind}" size="{size}" pos="{numbers(center)}" '
        f'zaxis="{numbers(axis)}" mass="0" contype="0" conaffinity="0"/>'
    )


def body(rng: np.random.Generator, k: int, place: dict) -> str:
    kind = str(rng.choice(["hinge", "slide", "ball"], p=[0.6, 0.2, 0.2]))
    axis, place_of = numbers(rng.normal(size=3)), numbers(rng.uniform(-0.1, 0.1, 3))
    joint = f'<joint name="j{k}" type="{kind}" axis="{axis}" pos="{place_of}"/>'
    center, mass = numbers(rng.uniform(-0.1, 0.1, 3)), rng.uniform(0.5, 2)
    inertia = f'<inertial pos="{center}" mass="{mass!r}" diaginertia="0.02 0.03 0.025"/>'
    pose = f'pos="{numbers(rng.uniform(-0.3, 0.3, 3))}" quat="{numbers(rng.normal(size=4))}"'
    return f'<body name="b{k}" {pose}>{joint}{inertia}{sites(place)}'


def nest(k: int, parents: list[int], texts: dict[int, str]) -> str:
    children = [nest(i, parents, texts) for i, parent in enumerate(parents) if parent == k]
    return texts[k] + "".join(children) + "</body>"


def spatial(rng: np.random.Generator, number: int, places: list[dict], options: str) -> str:
    """A path of one or two branches, with an object between some of the points."""
    text, last = "", ""
    for branch in range(int(rng.integers(1, 3))):
        if branch:
            text += f'<pulley divisor="{rng.uniform(1.5, 3.0)!r}"/>'
        count = int(rng.integers(2, 5))
        for k in range(count):
            names = [f"{place['name']}s{i}" for place in places for i in range(3)]
            # MuJoCo refuses a site twice in a row
            last = str(rng.choice([name for name in names if name != last]))
            text += f'<site site="{last}"/>'
            if k < count - 1 and rng.random() < 0.7:
                text += geom(rng, places)
    return f'<spatial name="t{number}" {options}>{text}</spatial>'


def geom(rng: np.random.Generator, places: list[dict]) -> str:
    place = places[int(rng.integers(len(places)))]
    other = place if rng.random() < 0.8 else places[int(rng.integers(len(places)))]
    side = rng.choice(["", f'sidesite="{other["name"]}in"', f'sidesite="{other["name"]}out"'])
    return f'<geom geom="{place["name"]}g" {side}/>'


def numbers(values) -> str:
    return " ".join(repr(float(x)) for x in values)
