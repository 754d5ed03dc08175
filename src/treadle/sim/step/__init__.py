"""One step of any machine, stage by stage.

    predict      free velocity, factor of M + hD, joint rows, poses       predict, predict_program
    detect       manifolds -> points                                      detect, points, overlap
    shorten      tunnelling, time of impact, separation                   shorten, conservative_advancement
    flow         no contact acts: the integrator's own step               flow
    impact       rigid bodies that collide, with restitution              impact
    solve        impulses of all rows                                     joint_rows, contact_rows, solve
    integrate    q (+) displacement                                       integrate
    stabilize    penetration, loops                                       stabilize
    account      work, totals per pair, force history, warm start         account, pair_totals, warm_start

A machine with shapes that touch runs the stages as kernels (`advance`, `substep`); one without has them
composed into one compiled program (`fused`, `program`). `options` has all that may be chosen about a step.
"""
