"""Geoms of a compiled MuJoCo model as shapes, their contact parameters as materials, and who touches whom.

MuJoCo holds bodies apart by a reference acceleration, -b v - k r, whatever their mass: as a spring and
damper that grow with the mass they act on. With solref = (timeconst, dampratio),

    stiffness = 1 / (timeconst dampratio)^2,    damping = 2 / timeconst,

and with solref = (-stiffness, -damping) the numbers themselves, per kg of effective mass at the contact;
solimp is the impedance of the material, the share of this acceleration that a contact reaches.
Where two geoms meet the larger friction and condim count, the mean of solref by solmix, and of two that
differ in priority the higher alone. Margins add up and are part of the shapes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from treadle.formats.mjcf_compiled import Compiled, library, unique
from treadle.formats.mjcf_groups import add_groups
from treadle.geometry import SUFFIXES
from treadle.model import MaterialSpec, ModelSpec
from treadle.model.values import rotation_matrix

__all__ = ["HEIGHT_FIELD", "Materials", "add_contacts", "add_shapes"]

#: Numbers of `mjtGeom`, and what MuJoCo's sizes (half lengths) are here.
_PLANE, HEIGHT_FIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH, _SDF = range(9)
_SHAPES = {
    _PLANE: ("plane", ()),
    _SPHERE: ("sphere", (1.0,)),
    _CAPSULE: ("capsule", (1.0, 2.0)),
    _ELLIPSOID: ("ellipsoid", (1.0, 1.0, 1.0)),
    _CYLINDER: ("cylinder", (1.0, 2.0)),
    _BOX: ("box", (2.0, 2.0, 2.0)),
}
#: By how much sizes grow with a margin, where it is not by the factors above.
_GROWTH = {_CAPSULE: (1.0, 0.0)}
#: Shapes whose edges or curvature a margin changes in another way than MuJoCo does.
_SHARPENED = (_ELLIPSOID, _CYLINDER, _BOX)
_DEFAULT_COLOR = (0.5, 0.5, 0.5, 1.0)
#: Geoms of these groups and above are hidden until the user asks for them.
_FIRST_HIDDEN_GROUP = 3


# ----------------------------------------------------------------------------------------------------------
# shapes and materials
# ----------------------------------------------------------------------------------------------------------


def add_shapes(spec: ModelSpec, compiled: Compiled, materials: Materials) -> None:
    """A shape per geom, or two: one that is seen ("<geom>/visual") and one that touches."""
    model = compiled.model
    names = compiled.names("geom", model.ngeom)
    used = set(names)
    touching = _touching(model)
    skipped: dict[str, list[str]] = {}
    for geom, name in enumerate(names):
        if model.geom_type[geom] == HEIGHT_FIELD:
            # see `mjcf_field`
            continue
        color = _color(model, geom)
        seen = model.geom_group[geom] < _FIRST_HIDDEN_GROUP and color[3] > 0.0
        fields, problem = _shape(compiled, geom)
        if not seen and geom not in touching:
            problem = "geoms left out, for they are neither shown nor touch anything"
        if problem:
            skipped.setdefault(problem, []).append(name)
            continue
        line = compiled.line("geom", name)
        body = compiled.bodies[model.geom_bodyid[geom]]
        if geom in touching:
            material, grown = materials.of_geom(geom), _grown(model, geom, fields)
            spec.add_shape(name, body, **grown, role="collision", color=color, material=material, line=line)
        if seen:
            own = unique(f"{name}/visual", used) if geom in touching else name
            spec.add_shape(own, body, **fields, color=color, line=line)
    for sentence, geoms in skipped.items():
        compiled.note(sentence, geoms)
    add_groups(spec, compiled, {names[geom]: geom for geom in sorted(touching)})
    _note_shapes(compiled, names, touching)


def _touching(model: Any) -> set[int]:
    """The geoms that can touch others."""
    able = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
    return {int(geom) for geom in (*able, *model.pair_geom1, *model.pair_geom2)}


def _shape(compiled: Compiled, geom: int) -> tuple[dict[str, Any], str | None]:
    """Fields of a shape, or what keeps a geom from being one."""
    model = compiled.model
    kind, place = model.geom_type[geom], (model.geom_pos[geom], rotation_matrix(model.geom_quat[geom]))
    if kind in _SHAPES:
        name, factors = _SHAPES[kind]
        size = model.geom_size[geom, : len(factors)] * factors
        return {"type": name, "size": size, "position": place[0], "rotation": place[1]}, None
    if kind != _MESH:
        return {}, "geoms left out, for there are no distance fields here"
    return _mesh(compiled, int(model.geom_dataid[geom]), place)


def _grown(model: Any, geom: int, fields: dict[str, Any]) -> dict[str, Any]:
    """A shape with the margin of its geom, at which MuJoCo's contact acts, as part of it."""
    margin, kind = float(model.geom_margin[geom]), int(model.geom_type[geom])
    if margin == 0.0 or kind not in _SHAPES:
        return fields
    if kind == _PLANE:
        return fields | {"position": fields["position"] + margin * fields["rotation"][:, 2]}
    return fields | {"size": fields["size"] + margin * np.array(_GROWTH.get(kind, _SHAPES[kind][1]))}


def _mesh(
    compiled: Compiled, mesh: int, place: tuple[np.ndarray, np.ndarray]
) -> tuple[dict[str, Any], str | None]:
    """A mesh as its file has it, which MuJoCo moves to its centre and principal axes."""
    model = compiled.model
    start = model.mesh_pathadr[mesh]
    path = b"" if start < 0 else bytes(model.paths)[start:].partition(b"\0")[0]
    file = compiled.source.paths.get(path.decode())
    if file is None:
        return {}, "geoms left out, for their meshes are not files"
    if not file.lower().endswith(SUFFIXES):
        return {}, f"geoms left out, for their meshes do not end in {', '.join(SUFFIXES)}"
    # mesh points are scale R_ref^T (point - p_ref), then moved by the inverse of mesh_pos, mesh_quat
    asset, scale = compiled.spec.mesh(compiled.name("mesh", mesh)), model.mesh_scale[mesh]
    R_ref = rotation_matrix(asset.refquat)
    turned = not np.array_equal(R_ref, np.eye(3))
    if turned and len(set(scale)) > 1:
        return {}, "geoms left out, for their meshes are turned and then scaled unevenly"
    R = place[1] @ rotation_matrix(model.mesh_quat[mesh]).T
    position = place[0] - R @ (model.mesh_pos[mesh] + scale * (R_ref.T @ asset.refpos))
    return {"type": "mesh", "file": file, "scale": scale, "position": position, "rotation": R @ R_ref.T}, None


def _color(model: Any, geom: int) -> tuple[float, ...]:
    color = model.geom_rgba[geom]
    material = model.geom_matid[geom]
    if material >= 0 and np.allclose(color, _DEFAULT_COLOR, rtol=0.0, atol=1e-6):
        color = model.mat_rgba[material]
    # MuJoCo keeps single precision
    return tuple(round(float(x), 6) for x in np.clip(color, 0.0, 1.0))


class Materials:
    """Materials made as they are needed, one for each set of contact parameters."""

    def __init__(self, spec: ModelSpec, compiled: Compiled) -> None:
        self.spec = spec
        self.model = compiled.model
        self.override = compiled.switched("mjENBL_OVERRIDE")
        #: priorities count from the lowest one
        self.lowest = int(self.model.geom_priority.min(initial=0))
        self.names: dict[tuple[Any, ...], str] = {}

    def of_geom(self, geom: int) -> str:
        model = self.model
        own = {
            "combination": "maximum",
            "friction_dimensions": int(model.geom_condim[geom]),
            "priority": int(model.geom_priority[geom]) - self.lowest,
            "mix": float(model.geom_solmix[geom]),
        }
        reference = model.geom_solref[geom], model.geom_solimp[geom]
        return self.named(6, reference, *model.geom_friction[geom], **own)

    def of_pair(self, pair: int) -> str:
        model = self.model
        slide, _, spin, roll, _ = model.pair_friction[pair]
        reference = model.pair_solref[pair], model.pair_solimp[pair]
        return self.named(model.pair_dim[pair], reference, slide, spin, roll)

    def give(self, geom: int, name: str) -> None:
        """Make a material of a geom's with a name of its own."""
        own = next(material for material in self.spec.materials if material.name == self.of_geom(geom))
        self.spec.materials.append(replace(own, name=name))

    def named(
        self,
        dimension: int,
        reference: tuple[np.ndarray, np.ndarray],
        slide: float,
        spin: float,
        roll: float,
        **own: Any,
    ) -> str:
        """The name of a material of these properties, with frictions up to a dimension of contact."""
        if self.override:
            reference = self.model.opt.o_solref, self.model.opt.o_solimp
            slide, _, spin, roll, _ = self.model.opt.o_friction
        stiffness, damping = _per_mass(*reference[0])
        values: dict[str, Any] = {
            "stiffness": stiffness,
            "damping": damping,
            "friction": float(slide) if dimension >= 3 else 0.0,
            "spinning_friction": float(spin) if dimension >= 4 else 0.0,
            "rolling_friction": float(roll) if dimension >= 6 else 0.0,
            "per_mass": True,
            "impedance": _impedance(*reference[1]),
            **own,
        }
        key = tuple(values.values())
        if key not in self.names:
            self.names[key] = f"contact{len(self.names)}"
            self.spec.materials.append(MaterialSpec(self.names[key], **values))
        return self.names[key]


def _per_mass(first: float, second: float) -> tuple[float, float]:
    """Stiffness (1/s2) and damping (1/s) per kg of effective mass from solref; see the module."""
    if first > 0.0 and second > 0.0:
        return 1.0 / (first * second) ** 2, 2.0 / first
    return max(-first, 0.0), max(-second, 0.0)


def _impedance(least: float, most: float, width: float, midpoint: float, power: float) -> tuple[float, ...]:
    """solimp within the bounds that MuJoCo gives it."""
    least, most, midpoint = np.clip((least, most, midpoint), 1e-4, 1.0 - 1e-4).tolist()
    return least, most, max(float(width), 1e-15), midpoint, max(float(power), 1.0)


def _note_shapes(compiled: Compiled, names: list[str], touching: set[int]) -> None:
    model = compiled.model
    if touching:
        compiled.report.append(
            "contact parameters became materials, in N/m and N s/m per kg of effective mass at the contact: "
            "stiffness = 1/(timeconst dampratio)^2 and damping = 2/timeconst of solref, impedance is solimp"
        )
    direct = [names[geom] for geom in sorted(touching) if model.geom_solref[geom, 0] <= 0.0]
    if 0 < len(direct) < len(touching):
        compiled.note(
            "geoms with stiffness and damping as solref, which count alone in MuJoCo where they meet others, "
            "and as a mean here",
            direct,
        )
    fixed = {geom for geom in touching if model.body_weldid[model.geom_bodyid[geom]] == 0}
    meshes = [names[geom] for geom in sorted(fixed) if model.geom_type[geom] == _MESH]
    compiled.note(
        "meshes fixed to the world, which touch by their convex hulls in MuJoCo and not here", meshes
    )
    margins = [geom for geom in sorted(touching) if model.geom_margin[geom] != 0.0]
    sharp = [names[geom] for geom in margins if model.geom_type[geom] in _SHARPENED]
    compiled.note("geoms whose margin is part of their size, with edges where MuJoCo's are round", sharp)
    lost = [names[geom] for geom in margins if model.geom_type[geom] == _MESH]
    compiled.note("meshes whose margin is not carried over", lost)
    special = {
        "surface velocity": np.abs(model.geom_surfacevel).sum(axis=1),
        "adhesion": np.abs(model.geom_adhesion),
    }
    for what, values in special.items():
        found = [names[geom] for geom in np.flatnonzero(values)]
        compiled.note(f"geoms whose {what} is not carried over", found)


# ----------------------------------------------------------------------------------------------------------
# who touches whom
# ----------------------------------------------------------------------------------------------------------


def add_contacts(spec: ModelSpec, compiled: Compiled, materials: Materials) -> None:
    """Pairs of bodies that have a contact of their own, and pairs that cannot touch.

    What contype and conaffinity say is in the groups of the shapes.
    """
    model, bodies = compiled.model, compiled.bodies
    stated = _add_pairs(spec, compiled, materials)
    touching = {int(model.geom_bodyid[geom]) for geom in _touching(model)}
    close = _neighbours(model, touching)
    excluded = {tuple(sorted(divmod(int(signature), 1 << 16))) for signature in model.exclude_signature}
    parted = not compiled.switched("mjDSBL_FILTERPARENT")
    based = _on_fixed(model, touching)
    for first, second in sorted(close | excluded | based):
        apart = (parted and (first, second) in close) or (first, second) in excluded
        if frozenset((first, second)) not in stated and {first, second} <= touching:
            spec.add_contact(bodies[first], bodies[second], enabled=not apart)
    _note_loops(compiled, touching, excluded)


def _add_pairs(spec: ModelSpec, compiled: Compiled, materials: Materials) -> set[frozenset[int]]:
    """Contacts that the file states pair by pair; the bodies that have one."""
    model, bodies = compiled.model, compiled.bodies
    stated: dict[frozenset[int], str] = {}
    differing, uneven = [], []
    for pair, name in enumerate(compiled.names("pair", model.npair)):
        sides = [int(model.geom_bodyid[geom[pair]]) for geom in (model.pair_geom1, model.pair_geom2)]
        if model.body_weldid[sides[0]] == model.body_weldid[sides[1]]:
            continue
        key, material = frozenset(sides), materials.of_pair(pair)
        if stated.setdefault(key, material) != material:
            differing.append(name)
        elif len(spec.contacts) < len(stated):
            spec.add_contact(
                bodies[sides[0]], bodies[sides[1]], material=material, line=compiled.line("pair", name)
            )
        if model.pair_friction[pair, 0] != model.pair_friction[pair, 1]:
            uneven.append(name)
    if stated:
        sentence = (
            "contact pairs hold for all geoms of their bodies here, without margin, gap and solreffriction"
        )
        compiled.report.append(sentence)
    compiled.note("contact pairs left out, for other geoms of the same bodies have another one", differing)
    compiled.note("contact pairs whose friction depends on the direction, of which the first counts", uneven)
    return set(stated)


def _neighbours(model: Any, touching: set[int]) -> set[tuple[int, int]]:
    """Pairs of bodies that a joint connects, which MuJoCo lets overlap.

    The world is everyone's parent, and touches all the same.
    """
    welded: dict[int, list[int]] = {}
    for body in sorted(touching):
        welded.setdefault(int(model.body_weldid[body]), []).append(body)
    pairs = set()
    for root in set(model.body_weldid.tolist()) - {0}:
        above = int(model.body_weldid[model.body_parentid[root]])
        if above:
            pairs |= set(product(welded.get(root, ()), welded.get(above, ())))
    return {(min(pair), max(pair)) for pair in pairs}


def _on_fixed(model: Any, touching: set[int]) -> set[tuple[int, int]]:
    """Pairs of bodies that a joint connects of which one is fixed to the world: MuJoCo lets them touch."""
    pairs = set()
    for body in touching:
        root = int(model.body_weldid[body])
        holder = int(model.body_parentid[root])
        if root and holder and model.body_weldid[holder] == 0:
            pairs.add((min(body, holder), max(body, holder)))
    return pairs


def _note_loops(compiled: Compiled, touching: set[int], excluded: set[tuple[int, ...]]) -> None:
    """Bodies that constraints connect touch in MuJoCo, and not here."""
    model = compiled.model
    mujoco = library()
    names = []
    for kind, objects, one, other in zip(
        model.eq_type, model.eq_objtype, model.eq_obj1id, model.eq_obj2id, strict=True
    ):
        if mujoco.mjtEq(kind) not in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            continue
        at_sites = mujoco.mjtObj(objects) == mujoco.mjtObj.mjOBJ_SITE
        ends = [int(model.site_bodyid[end] if at_sites else end) for end in (one, other)]
        if 0 not in ends and set(ends) <= touching and tuple(sorted(ends)) not in excluded:
            names.append(f"{compiled.bodies[ends[0]]} - {compiled.bodies[ends[1]]}")
    compiled.note("pairs of bodies that a constraint connects, which touch in MuJoCo but not here", names)
