"""What the core does without Numba and scipy, once its kernels are compiled, as a wheel brings them."""

import subprocess
import sys

#: Contact, noise of sensors, a lidar, every integrator with an event, and a hull in a fluid.
SCRIPT = """
import sys

import treadle as td
from treadle.integrators import INTEGRATORS

spec = td.ModelSpec("ball")
spec.add_shape("ground", None, "plane", role="collision")
spec.add_shape("wall", None, "box", (0.2, 4.0, 4.0), position=(2.0, 0.0, 0.0))
spec.add_body("ball", mass=1.0, type="sphere", size=(0.1,))
spec.add_joint("free", "free", None, "ball", position=(0.0, 0.0, 0.3))
spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision")
spec.add_sensor("imu", "imu", "ball", rate=200.0, noise={"preset": "mpu6000"})
spec.add_sensor("lidar", "lidar", "ball", rate=20.0)
sim = td.Simulation(spec.compile(), 2e-3)
sim.run(seconds=0.3)
assert sim.contacts
sim.sensor("imu").value
sim.sensor("lidar").value


def low(q, v, t):
    return q["shoulder"] - 0.99


for name in INTEGRATORS:
    sim = td.Simulation(td.scene("pendulum"), 1e-2, integrator=name, q=[1.0, 0.0], events=[td.Event(low)])
    sim.run(seconds=0.2)
    assert len(sim.events.log) == 1, name
td.Simulation(td.scene("remus"), 1e-2).run(seconds=0.1)
found = {name for name in ("numba", "scipy") if sys.modules.get(name) is not None}
assert not found, found
"""


def run(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_numpy_and_llvmlite_are_enough():
    # compiles the kernels that this checkout has not compiled yet
    run(f"import treadle.native.build_kernels as build\nbuild.main([])\n{SCRIPT}".replace("assert not", "#"))
    run("import sys\nsys.modules['numba'] = sys.modules['scipy'] = None\n" + SCRIPT)
