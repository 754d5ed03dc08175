"""Wheels on the ground: where they touch, and the models of the force there, one per file."""

from treadle.wheels.bekker import bekker
from treadle.wheels.ishigami import ishigami, ishigami_direct
from treadle.wheels.linear import linear
from treadle.wheels.model import WHEEL_MODELS, WheelContact, model_force, model_parameters, wheel_model
from treadle.wheels.pacejka import pacejka
from treadle.wheels.roller import roller
from treadle.wheels.viscous import viscous

__all__ = ["WHEEL_MODELS", "WheelContact", "model_force", "model_parameters", "wheel_model"]

for _model in (linear, viscous, pacejka, bekker, ishigami, ishigami_direct, roller):
    wheel_model(_model)
