"""Convex parts of meshes: number, volume beside that of the mesh, and CPU time, by CoACD and by V-HACD.

    python benchmarks/convex_parts.py [NAME ...]

"default" is CoACD with its own settings of the search. V-HACD is measured where `vhacdx` is installed (pip
install vhacdx). All shapes and links of robots from example-robot-data take minutes.
"""

import resource
import sys
import tempfile
import time
from importlib.metadata import files
from importlib.util import find_spec
from os import environ
from pathlib import Path

import numpy as np
import trimesh
from trimesh.creation import annulus, box, cylinder, torus

import treadle as td

#: Collision meshes of example-robot-data, some convex, some closed, some neither.
LINKS = (
    "talos_data/meshes/arm/arm_4_collision.STL",
    "panda_description/meshes/collision/link1.stl",
    "go2_description/collisions/base_convex.stl",
    "z1_description/meshes/collision/z1_Link04.STL",
)


def corner():
    return trimesh.boolean.union(
        [box(bounds=[(0, 0, 0), (1, 0.2, 0.2)]), box(bounds=[(0, 0, 0), (0.2, 0.2, 1)])]
    )


def cup():
    outside, inside = (
        cylinder(r, segment=[(0, 0, z), (0, 0, 1)], sections=48) for r, z in ((0.5, 0), (0.44, 0.06))
    )
    return trimesh.boolean.difference([outside, inside])


def hollow_box():
    return trimesh.boolean.difference([box((1, 1, 1)), box((0.9, 0.9, 0.9))])


def gear():
    turn = trimesh.transformations.rotation_matrix
    tooth = box((0.12, 0.1, 0.2)).apply_translation((0.44, 0, 0))
    teeth = [tooth.copy().apply_transform(turn(2 * np.pi * k / 16, (0, 0, 1))) for k in range(16)]
    return trimesh.boolean.union([cylinder(0.4, 0.2, sections=48), *teeth])


SHAPES = {
    "box": lambda: box((1, 1, 1)),
    "L": corner,
    "ring": lambda: annulus(0.4, 0.5, 0.1, sections=32),
    "torus": lambda: torus(0.4, 0.1, major_sections=32, minor_sections=16),
    "cup": cup,
    "hollow box": hollow_box,
    "gear": gear,
}


def link(name):
    installed = files("example-robot-data") or []
    path = next(item for item in installed if str(item).endswith(name))
    mesh = trimesh.load(path.locate(), force="mesh")
    mesh.merge_vertices()
    return mesh


def cpu_time():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def by_coacd(mesh):
    return td.convex_parts(mesh.vertices, mesh.faces, seconds=300.0)


def by_coacd_as_it_comes(mesh):
    import coacd

    coacd.set_log_level("error")
    given = coacd.Mesh(np.asarray(mesh.vertices), np.asarray(mesh.faces))
    return [td.convex_hull(points) for points, _ in coacd.run_coacd(given, threshold=0.05, seed=0)]


def by_vhacd(mesh):
    import vhacdx

    faces = np.column_stack([np.full(len(mesh.faces), 3), mesh.faces]).astype(np.uint32).ravel()
    return [td.convex_hull(points) for points, _ in vhacdx.compute_vhacd(np.asarray(mesh.vertices), faces)]


def measured(name, mesh, method, decompose):
    """A line: parts, their volume over that of the mesh, CPU seconds, milliseconds where they are kept."""
    begun = cpu_time()
    parts = decompose(mesh)
    spent, again = cpu_time() - begun, time.process_time()
    share = sum(trimesh.Trimesh(*part).volume for part in parts) / abs(mesh.volume)
    line = f"{name:<22}{len(mesh.faces):>10} {method:<8}{len(parts):>6}{share:>8.3f}{spent:>7.1f}"
    if method == "CoACD":
        decompose(mesh)
        line += f"{1e3 * (time.process_time() - again):>9.1f}"
    return line


def main():
    methods = {"CoACD": by_coacd, "default": by_coacd_as_it_comes}
    methods |= {"V-HACD": by_vhacd} if find_spec("vhacdx") else {}
    links = {Path(name).stem: lambda name=name: link(name) for name in LINKS}
    meshes = SHAPES | links
    print(f"{'mesh':<22}{'triangles':>10} {'method':<8}{'parts':>6}{'volume':>8}{'CPU s':>7}{'kept ms':>9}")
    with tempfile.TemporaryDirectory() as folder:
        environ["TREADLE_CACHE"], environ["TREADLE_QUIET"] = folder, "1"
        for name in sys.argv[1:] or meshes:
            mesh = meshes[name]()
            for method, decompose in methods.items():
                print(measured(name, mesh, method, decompose), flush=True)


if __name__ == "__main__":
    main()
