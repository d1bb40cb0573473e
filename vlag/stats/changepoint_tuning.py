# SPDX-License-Identifier: GPL-2.0-only
"""The constants of change-point detection: what its results mean, and how it finds them."""

from __future__ import annotations

from attrs import frozen

# Smallest relative change that is a step: below it, boards drift that much by themselves.
LEAST_EFFECT = 0.0125
# Fewest points a side: fewer cannot separate a level from a series of bad nights.
SIDE_MINIMUM = 4
# A level that returns within this many points is an excursion: in nightly histories
# without any change, most significant steps are the ends of one, and most of them last
# days to weeks.
EXCURSION = 40
# Tolerance of a step's place: a person who reads the commits around it still finds the
# cause.  The place is chosen to be right within this many points.
PLACE_TOLERANCE = 5
# Confidence level of the reported intervals.
CONFIDENCE = 0.95


@frozen(kw_only=True)
class Tuning:
    """How much evidence a step or drift needs, and which points give it.

    Points are values of a history, one a night.  docs/evidence/changepoints.md has the false
    alarms and the recall that the values as shipped were chosen for.
    """

    # An excursion has returned if this share of its step is undone.
    returned_share: float = 0.3

    # A boundary stays with |t| >= evidence + evidence_short / (points of its shorter side).
    # The first pays for the choice among many places.  The second allows for noise that is not
    # AR(1): nights come in runs of 5 to 20 odd ones, which a test for AR(1) calls a step.
    evidence: float = 1.9
    evidence_short: float = 100.0
    # A step is sharp, a level that wanders is not: |t| is weighted with the cube root of a
    # boundary's sharpness over this one.  Sharpness is the difference of the mean after and the
    # mean before a place, in standard deviations of such differences in the history.
    sharpness: float = 2.0
    # Points on either side that the two means are of, in a history of at least
    # `sharpness_share` times as many; in a shorter one, its points over that.
    sharpness_points: int = 16
    sharpness_share: int = 7
    # The sharpest place within so many points counts: a spike next to the place would blunt it.
    sharpness_near: int = 2

    # Cost of a candidate in kernel detection; low, as the pruning decides.
    candidate_penalty: float = 3.0
    # Points that go into kernel detection at a time, a quarter of which two such windows share:
    # bounds the time for long histories, and lets the noise change slowly.
    window: int = 512
    # Power of the likelihood of a place; below 1, since neighbouring nights repeat each other.
    place_power: float = 0.6
    # Smallest slope between the steps, in standard errors, that is a drift (a place that is twice
    # as sharp is tried as a step in it), and what it has to
    # add to the log-likelihood beyond the penalty of the information criterion: steps are much
    # more common.
    drift_errors: float = 3.5
    drift_gain: float = 4.0
    # Something moved in a history with such a slope, but neither a drift nor a step.  Unless it
    # wanders, steps need only this share of the evidence, if they gain as much.
    unlevel_evidence: float = 0.7

    # A history wanders if its differences over some nights are more than this times those of
    # neighbouring nights.  It hardly has a level to step from: a boundary needs twice the
    # evidence.
    wander: float = 1.7


#: The constants of all verdicts on histories.
SHIPPED = Tuning()
