"""A runnable example for every public name; each section starts from `import treadle as td` and numpy as np.

The site shows a section on the page of each of its names, and the tests run all of them.
"""

import numpy as np

import treadle as td

# --- Simulation
sim = td.Simulation(td.scene("pendulum"), dt=1e-3)
sim.joint("shoulder").position = 0.5
sim.run(0.5)
print(sim.q, sim.time)

# --- State
sim = td.Simulation(td.scene("pendulum"))
saved = sim.save()
sim.step(10)
sim.restore(saved)
assert sim.time == 0.0

# --- Batch
worlds = td.Batch(td.scene("pendulum"), 8, parameters=["lower.mass"])
worlds.parameter("lower.mass")[:] = np.linspace(0.5, 2.0, 8)
worlds.step(100)
print(worlds.q.shape)

# --- Model, scene, scene_names
model = td.scene("chain", links=5)
print(model.nq, model.nv, [joint.name for joint in model.joints], "roadheader" in td.scene_names())

# --- ModelSpec, BodySpec, JointSpec, FrameSpec
spec = td.ModelSpec("door")
spec.add_body("leaf", 20.0, center=(0.4, 0, 1), inertia=td.box_inertia(20.0, 0.8, 0.04, 2.0))
spec.add_joint("hinge", "revolute", None, "leaf", axis=(0, 0, 1), damping=0.5)
spec.add_frame("handle", "leaf", position=(0.75, 0, 1))
model = spec.compile()
print(td.frame_pose(model, [0.3], "handle"))

# --- box_inertia, cylinder_inertia, sphere_inertia
print(td.box_inertia(2.0, 0.1, 0.2, 0.3), td.cylinder_inertia(1.0, 0.05, 0.4), td.sphere_inertia(1.0, 0.1))

# --- rpy
spec = td.ModelSpec("tilted")
spec.add_body("plate", 1.0, inertia=(0.1, 0.1, 0.1))
spec.add_joint("slide", "prismatic", None, "plate", axis=(1, 0, 0), rotation=td.rpy(0.0, 0.2, 0.0))
print(td.frame_pose(spec.compile(), [1.0], "plate")[:3, 3])

# --- load, load_spec, save
td.save(td.scene("pendulum"), "pendulum.toml")
spec = td.load_spec("pendulum.toml")
spec.bodies[0].mass = 3.0
model = spec.compile()
print(td.load("pendulum.toml").mass, model.mass)

# --- parameter_names, parameter_value
model = td.scene("pendulum")
name = td.parameter_names(model)[0]
print(name, td.parameter_value(model, name))

# --- forward_dynamics, inverse_dynamics, inverse_dynamics_jacobians
model = td.scene("pendulum")
q, v, tau = np.array([0.3, -0.2]), np.array([1.0, 0.5]), np.zeros(2)
a = td.forward_dynamics(model, q, v, tau)
np.testing.assert_allclose(td.inverse_dynamics(model, q, v, a), tau, atol=1e-12)
by_q, by_v = td.inverse_dynamics_jacobians(model, q, v, a)

# --- mass_matrix, kinetic_energy
model = td.scene("pendulum")
q, v = np.array([0.3, -0.2]), np.array([1.0, 0.5])
M = td.mass_matrix(model, q)
np.testing.assert_allclose(0.5 * v @ M @ v, td.kinetic_energy(model, q, v))

# --- potential_energy, center_of_mass
model = td.scene("pendulum")
height = td.center_of_mass(model, [0.3, 0.0])[2]
print(td.potential_energy(model, [0.3, 0.0]), model.mass * 9.81 * height)

# --- momentum, impulse_response
model = td.scene("pendulum")
jump = td.impulse_response(model, [0.0, 0.0], joint_impulse=[1.0, 0.0])
print(td.momentum(model, [0.0, 0.0], jump))

# --- frame_pose, frame_poses, frame_jacobian
model = td.scene("pendulum")
print(td.frame_pose(model, [0.3, 0.1], "lower")[:3, 3], td.frame_poses(model, [0.3, 0.1]).shape)
print(td.frame_jacobian(model, [0.3, 0.1], "lower").shape)

# --- derivatives, Derivatives, MachineDerivatives
model = td.scene("pendulum")
rigid = td.derivatives(model, [0.3, 0.0], [0.0, 0.0], [0.0, 0.0])
whole = td.derivatives(td.Simulation(model, q=[0.3, 0.0]))
print(rigid.by_q, whole.by_q)

# --- linearize, Linearization
sim = td.Simulation(td.scene("pendulum"))
linear = td.linearize(sim)
print(linear.A.shape, linear.eigenvalues())

# --- assemble, Assembly
model = td.scene("slider-crank")
found = td.assemble(model)
assert found.residual < 1e-9
print(found.q, found.mobility)

# --- inverse_kinematics, InverseKinematics
model = td.scene("arm")
frame = model.frames[-1].name
pose = td.frame_pose(model, np.full(model.nq, 0.3), frame)
found = td.inverse_kinematics(model, frame, pose)
print(found.q, found.solved)

# --- Trajectory
model = td.scene("pendulum")
moved = td.Trajectory(model, [0.0, 1.0, 2.0], [[0.0, 0.0], [0.5, -0.3], [0.0, 0.0]])
print(moved)

# --- trajectory
moved = td.trajectory(td.Simulation(td.scene("pendulum"), integrator="dopri5"), 0.1)
print(moved(0.05))

# --- dh_arm, dh_table, DHRow, DHTable
link = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
rows = [td.DHRow(d=0.3, alpha=np.pi / 2, body=link), td.DHRow(a=0.5, body=link), td.DHRow(a=0.4, body=link)]
model = td.dh_arm(rows).compile()
print(td.dh_table(model).rows)

# --- ForceLaw
def wind(q, v, t):
    return {"shoulder": 0.2 * td.sin(3.0 * t) - 0.05 * v["shoulder"]}


td.Simulation(td.scene("pendulum"), laws=[wind]).run(0.1)

# --- force_element, FrameMotion
@td.force_element("lower")
def drag(lower: td.FrameMotion, t):
    return {"lower": lower.velocity * -0.5}


td.Simulation(td.scene("pendulum"), laws=[drag]).run(0.1)

# --- Input
push = td.Input(0.0)
sim = td.Simulation(td.scene("pendulum"), laws=[lambda q, v, t: {"shoulder": push.value}])
push.value = 0.3
sim.step(10)

# --- switch
def one_sided_spring(q, v, t):
    over = q["shoulder"] - 0.2
    return {"shoulder": td.where(td.switch(over), -50.0 * over, 0.0)}


td.Simulation(td.scene("pendulum"), integrator="dopri5", q=[0.1, 0.0], laws=[one_sided_spring]).run(0.1)

# --- Event
crossed = []
event = td.Event(lambda q, v, t: q["shoulder"], action=lambda sim: crossed.append(sim.time))
td.Simulation(td.scene("pendulum"), q=[0.3, 0.0], events=[event]).run(1.0)
print(crossed)

# --- History
sim = td.Simulation(td.scene("pendulum"))
history = td.History(sim, seconds=2.0)
sim.run(0.2)
print(history)

# --- Pace
pace = td.Pace(td.Simulation(td.scene("pendulum")), speed=2.0)
print(pace)

# --- Routine
routine = td.Routine(td.scene("roadheader"))
print(routine)

# --- settle, Settled
spec = td.ModelSpec("damped")
spec.add_body("bob", 1.0, center=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
spec.add_joint("hinge", "revolute", None, "bob", axis=(0, 1, 0), damping=3.0)
print(td.settle(td.Simulation(spec.compile(), q=[0.3])))

# --- read_recording
sim = td.Simulation(td.scene("pendulum"))
with sim.record("run.mcap", rate=100):
    sim.run(0.1)
print(td.read_recording("run.mcap").names)

# --- export
files = td.export(td.Simulation(td.scene("pendulum")), "out", "source", name="pendulum")
print([file.name for file in files])

# --- torch_function (torch)
import torch

step = td.torch_function(td.Simulation(td.scene("pendulum")), "step")
q = torch.tensor([0.3, 0.0], dtype=torch.float64, requires_grad=True)
moved, speed = step(q, torch.zeros(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64))
speed.sum().backward()
print(q.grad)

# --- jax_function (jax)
import jax

jax.config.update("jax_enable_x64", True)
dynamics = td.jax_function(td.scene("pendulum"), "forward_dynamics")
print(jax.grad(lambda q: dynamics(q, np.zeros(2), np.zeros(2)).sum())(np.array([0.3, 0.0])))

# --- view (viser)
page = td.view(td.scene("pendulum"))
print(page.url)
page.close()

# --- Collider, contact_points, distance
model = td.scene("bouncing-ball")
q, _ = model.initial()
collider = td.Collider(model, margin=10.0)
print(td.contact_points(collider, q), td.distance(collider, q, "floor", "ball").distance)

# --- ray_cast, ray_casts
model = td.scene("bouncing-ball")
q, _ = model.initial()
print(td.ray_cast(model, q, (0, 0, 10), (0, 0, -1)), len(td.ray_casts(model, q, [(0, 0, 10)], [(0, 0, -1)])))

# --- time_of_impact
model = td.scene("bouncing-ball")
q, v = model.initial()
print(td.time_of_impact(model, q, v, "floor", "ball", 1.0))

# --- HeightField
field = td.HeightField("hills", np.random.default_rng(0).random((4, 4)), (10.0, 10.0))
print(field.name)

# --- convex_hull
points, triangles = td.convex_hull(np.random.default_rng(0).random((20, 3)))
print(len(triangles))

# --- convex_parts (coacd)
pyramids = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((-1, 0, 0), (0, -1, 0), (0, 0, -1))
corners = [(0, 0, 0), *pyramids[0], *pyramids[1]]
faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3), (0, 4, 5), (0, 6, 4), (0, 5, 6), (4, 6, 5)]
print(len(td.convex_parts(corners, faces)))

# --- collision_meshes
print(td.collision_meshes(td.scene("pendulum")))

# --- read_disabled_collisions (lxml)
with open("robot.srdf", "w") as file:
    file.write('<robot name="r"><disable_collisions link1="a" link2="b" reason="Adjacent"/></robot>')
print(td.read_disabled_collisions("robot.srdf"))

# --- contact_law, Touch
@td.contact_law
def foam(touch: td.Touch):
    return td.maximum(touch.stiffness * touch.depth * (1.0 + 0.2 * touch.rate), 0.0)


# --- wheel_model, WheelContact
@td.wheel_model
def sponge(contact: td.WheelContact, stiffness=2e5, grip=1e4):
    fz = td.maximum(stiffness * contact.depth, 0.0)
    return td.clip(-grip * contact.vx, -fz, fz), td.clip(-grip * contact.vy, -fz, fz), fz


# --- Terrain, Plane, Ramp, Patch, Grid, Soil
ground: td.Terrain = td.Ramp(1.0, 0.3, 4.0, ground=td.Plane(soil=td.Soil(cohesion=500.0)))
print(ground.height(2.0, 0.0), td.Patch((2.0, 2.0), level=0.1).height(0.0, 0.0), td.Grid([[0.0, 1.0], [0.0, 1.0]]))

# --- random_grid, fractal_grid
print(td.random_grid((4.0, 4.0), spacing=0.5), td.fractal_grid((4.0, 4.0), spacing=0.5))

# --- load_terrain
with open("hill.asc", "w") as file:
    file.write("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n0 1\n1 2\n")
print(td.load_terrain("hill.asc"))

# --- predict, Prediction
model = td.scene("differential-drive")
commands = np.ones((3, len(model.actuators)))
ahead = td.predict(model, commands, seconds=0.5)
print(ahead.path.shape)

# --- Fluid, irregular_waves
spec = td.ModelSpec("float")
spec.fluid = td.Fluid(density=1025.0, surface=0.0, waves=td.irregular_waves(0.5, 6.0, count=5))
print(spec.fluid)

# --- hull_mesh, mesh_added_mass (capytaine)
import trimesh

ball = trimesh.creation.icosphere(subdivisions=2)
ball.export("ball.stl")
print(td.hull_mesh("ball.stl").keys(), td.mesh_added_mass(ball.vertices, ball.faces).shape)

# --- grind, GrindingSetup, GrindingPass, tune_path, TunedPath
print(td.grind.__doc__.partition("\n")[0], td.tune_path.__doc__.partition("\n")[0])

# --- identify, ContactParameters
times = np.linspace(0.0, 0.02, 400)
forces = np.maximum(np.sin(np.pi * times / 0.01), 0.0) * 100.0 * (times < 0.01)
print(td.identify(times, forces, mass=0.2, speed=1.5).stiffness)

# --- sin, cos, tan, asin, acos, atan, atan2, exp, log, sqrt, tanh, floor
print(td.sin(0.5), td.cos(0.5), td.tan(0.5), td.asin(0.5), td.acos(0.5), td.atan(0.5), td.atan2(1.0, 2.0))
print(td.exp(1.0), td.log(2.0), td.sqrt(2.0), td.tanh(0.5), td.floor(1.7))

# --- minimum, maximum, clip, where
print(td.minimum(1.0, 2.0), td.maximum(1.0, 2.0), td.clip(3.0, -1.0, 1.0), td.where(1.0 > 0.0, 5.0, 6.0))

# --- lookup, lookup2
print(td.lookup((0.0, 1.0, 4.0), 1.5), td.lookup2(((0.0, 1.0), (2.0, 3.0)), 0.5, 0.5))

# --- TreadleError, InputError, ModelError, RecordingError, SimulationDiverged, MissingPackage
for wrong in (lambda: td.scene("rodheader"), lambda: td.load("nobody.urdf"), lambda: td.read_recording("no.mcap")):
    try:
        wrong()
    except td.TreadleError as error:
        print(type(error).__name__, error)

# --- MPPI, CEM, RandomShooting, Plan, RecedingHorizon
spec = td.ModelSpec("cart", gravity=(0, 0, 0))
spec.add_body("cart", 1.0, inertia=(1, 1, 1))
spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
spec.add_actuator("push", "motor", "rail", gain=1.0)
cart = spec.compile()


def cost(now):
    return (now.q[0] - 1.0) ** 2 + 0.1 * now.v[0] ** 2


limits = {"low": [-2.0], "high": [2.0], "spread": [1.0]}
for kind in (td.MPPI, td.CEM, td.RandomShooting):
    planner = kind(cart, cost, candidates=64, horizon=1.0, pieces=5, dt=0.02, **limits)
    plan: td.Plan = planner.plan([0.0], [0.0])
    print(kind.__name__, plan.controls[:, 0], plan.cost)
sim = td.Simulation(cart, 0.02)
td.RecedingHorizon(planner, sim, cycle=0.1).advance()

# --- ILQR
spec = td.ModelSpec("cart", gravity=(0, 0, 0))
spec.add_body("cart", 1.0, inertia=(1, 1, 1))
spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
spec.add_actuator("push", "motor", "rail", gain=1.0)


def spent(now):
    return (now.q[0] - 1.0) ** 2 + 0.1 * now.v[0] ** 2 + 0.01 * now.action[0] ** 2


planner = td.ILQR(spec.compile(), spent, low=[-2.0], high=[2.0], horizon=2.0, pieces=40)
print(planner.plan([0.0], [0.0]).controls[:, 0])

# --- cost_to_go (scipy)
wall = np.zeros((41, 41))
wall[15:19, 15:] = 1.0
field = td.cost_to_go(td.Grid(wall, (0.25, 0.25)), (9, 9), low=(0, 0), high=(10, 10), footprint=0.5, steepest=0.4)
print(field.height(1.0, 9.0), "m around the wall, 8 m as the crow flies")

# --- Cluster (ray)
cluster = td.Cluster()
print(cluster.workers, cluster.map(lambda x: x * x, [1, 2, 3]))

# --- sweep (pyarrow)
pendulum = td.scene("pendulum")
print(td.sweep(pendulum, {td.parameter_names(pendulum)[0]: [1.0, 2.0]}, 0.1))
