"""One world on several processes (MPI): subdomains by recursive bisection, and four exchanges per step.

    communicator   processes, and rows that travel between them
    subdomains     recursive bisection by work; the owner of a point
    slots          free bodies as data in the compiled step of a process
    borders        swept boxes, pairs across borders, islands
    world          the step: what is exchanged, and when
    launch         starts the processes, for `treadle run --ranks`

A body is owned by the process whose subdomain has its centre of mass. Bodies that may touch across a border
are, with all that they may touch in turn, gathered in one process for the step, so that every contact problem
is solved whole, by the solver and to the tolerance of one process.
"""

from treadle.distributed.communicator import Alone, world_communicator
from treadle.distributed.subdomains import Subdomains
from treadle.distributed.world import DistributedWorld

__all__ = ["Alone", "DistributedWorld", "Subdomains", "world_communicator"]
