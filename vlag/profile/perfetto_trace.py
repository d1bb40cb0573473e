# SPDX-License-Identifier: GPL-2.0-only
"""Timelines of two boots as one file of Perfetto: a process for each kernel, one for differences.

A process has two tracks a CPU: who runs there, and checks for preemption.  Times are those of the
base kernel's clock, in ns; the new kernel is moved so that both stand at the first difference.
The schema is that of the package `perfetto`: perfetto.dev/docs/reference/trace-packet-proto.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Final

from attrs import define, field

# Its import takes a second, so what imports this module does so late.
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

from vlag.profile import decision_course
from vlag.profile.decision_timeline import Side, Timeline

_SEQUENCE: Final = 1  # all packets are of one
_AT_ONCE: Final = 4096  # packets that are written


def write(
    shown: Timeline, out: IO[bytes], *, base: str, new: str, told: Sequence[tuple[str, str]]
) -> None:
    """Write two boots to `out`.

    `base` and `new` are the kernels' names.  `told` has of each difference what was decided and
    what both kernels did.
    """
    packets = _Packets()
    some = Trace()
    for packet in packets.all(shown, (base, new), told):
        some.packet.append(packet)
        # Messages of this type one behind the other are one such message.
        if len(some.packet) == _AT_ONCE:
            out.write(some.SerializeToString())
            some = Trace()
    out.write(some.SerializeToString())


@define
class _Packets:
    """Makes packets, with a number for each track and for each name that comes again."""

    _tracks: int = 0
    _names: dict[str, int] = field(factory=dict)

    def all(
        self, shown: Timeline, names: tuple[str, str], told: Sequence[tuple[str, str]]
    ) -> Iterator[TracePacket]:
        """Yield all packets; those of one track are in order of time."""
        sides = (("base", shown.base), ("new", shown.new))
        for number, ((word, side), name) in enumerate(zip(sides, names, strict=True), 1):
            process = self._process(number, f"{word}: {name}")
            yield process
            yield from self._side(side, process.track_descriptor.uuid)
        process = self._process(3, "differences")
        yield process
        track = self._track("the first of each task and CPU", process.track_descriptor.uuid)
        yield track
        for difference, (sentence, answers) in zip(shown.differences, told, strict=True):
            at = difference.base.at + shown.base.shift
            packet = self._event(TrackEvent.TYPE_INSTANT, track, at, sentence)
            note = packet.track_event.debug_annotations.add()
            note.name, note.string_value = "decided", answers
            yield packet

    def _side(self, side: Side, process: int) -> Iterator[TracePacket]:
        cpus = sorted({run.cpu for run in side.runs})
        tracks = {cpu: self._track(f"CPU {cpu}", process) for cpu in cpus}
        yield from tracks.values()
        for run in side.runs:
            if decision_course.idle(run.task):
                continue
            for kind, at in (
                (TrackEvent.TYPE_SLICE_BEGIN, run.begin),
                (TrackEvent.TYPE_SLICE_END, run.end),
            ):
                yield self._event(kind, tracks[run.cpu], at + side.shift, run.task)
        tracks = {cpu: self._track(f"CPU {cpu}: checks for preemption", process) for cpu in cpus}
        yield from tracks.values()
        for check in side.checks:
            words = f"{check.task} wakes, {check.about} runs: {check.answer}"
            yield self._event(
                TrackEvent.TYPE_INSTANT, tracks[check.cpu], check.at + side.shift, words
            )

    def _process(self, number: int, name: str) -> TracePacket:
        packet = self._described()
        packet.track_descriptor.process.pid = number
        packet.track_descriptor.process.process_name = name
        return packet

    def _track(self, name: str, process: int) -> TracePacket:
        packet = self._described()
        packet.track_descriptor.name = name
        packet.track_descriptor.parent_uuid = process
        return packet

    def _described(self) -> TracePacket:
        self._tracks += 1
        packet = TracePacket(trusted_packet_sequence_id=_SEQUENCE)
        packet.track_descriptor.uuid = self._tracks
        if self._tracks == 1:
            packet.sequence_flags = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        return packet

    def _event(self, kind: TrackEvent.Type, track: TracePacket, at: int, name: str) -> TracePacket:
        packet = TracePacket(
            timestamp=at, trusted_packet_sequence_id=_SEQUENCE,
            sequence_flags=TracePacket.SEQ_NEEDS_INCREMENTAL_STATE,
        )  # fmt: skip
        event = packet.track_event
        event.type, event.track_uuid = kind, track.track_descriptor.uuid
        if kind != TrackEvent.TYPE_SLICE_END:
            known = len(self._names)
            event.name_iid = self._names.setdefault(name, known + 1)
            if len(self._names) > known:
                packet.interned_data.event_names.add(iid=event.name_iid, name=name)
        return packet
