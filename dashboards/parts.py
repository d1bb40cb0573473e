# SPDX-License-Identifier: GPL-2.0-only
"""Panel types and column formats that all dashboards share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from attrs import frozen
from grafana_foundation_sdk.builders import (
    barchart,
    common,
    dashboard,
    heatmap,
    histogram,
    stat,
    statetimeline,
    statushistory,
    table,
    timeseries,
    xychart,
)
from grafana_foundation_sdk.models import common as shape
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import heatmap as heatmap_shape
from grafana_foundation_sdk.models import xychart as xy_shape

from dashboards import five_seconds
from dashboards.links import Link
from dashboards.postgresql import Format, Query, Target, source
from vlag.report.colours import BASE, BETTER, GAIN, NEW, UNCHANGED, WORD_COLOURS, WORSE
from vlag.stats import severity

SIDES = {"base": BASE, "new": NEW}
WAYS = {"worse": WORSE, "better": BETTER}

#: The words of a whole comparison, worst first; SQL names one by its place, from 1.
WORDS = tuple(word for rank in severity.RANKS for word in rank if word in WORD_COLOURS)

#: Columns with the number of figures per verdict.
_COUNTS = (
    "worse", "better", "suspected", "hints", "marginal", "inconclusive", "not comparable",
    "failures",
)  # fmt: skip

#: Ends of words that nothing has proved, in the order in which Grafana tries them.
_HINTS = {"IMPROVEMENT (hint)": GAIN, "(hint)": WORD_COLOURS[severity.HINTED]}

#: Drawn as nothing.
_INVISIBLE = "\N{ZERO WIDTH SPACE}"

#: Text of cells without a value; a panel without rows shows `Words.empty`.
NOTHING = "–"  # noqa: RUF001

PERCENT = "percentunit"

_LINEAR: Mapping[str, float] = {}

Panel = TypeVar(
    "Panel",
    barchart.Panel,
    heatmap.Panel,
    histogram.Panel,
    stat.Panel,
    statetimeline.Panel,
    statushistory.Panel,
    table.Panel,
    timeseries.Panel,
    xychart.Panel,
)
AnyPanel = (
    barchart.Panel
    | heatmap.Panel
    | histogram.Panel
    | stat.Panel
    | statetimeline.Panel
    | statushistory.Panel
    | table.Panel
    | timeseries.Panel
    | xychart.Panel
)


@frozen(kw_only=True)
class Words:
    """Texts that every panel must have."""

    title: str
    question: str  # that the panel answers
    sentence: str  # an example of what a person can say after looking at it for five seconds
    description: str  # what it shows and its limits
    empty: str  # shown without rows: what to do


@frozen(kw_only=True)
class Column:
    """Display of a column; columns without one have Grafana's defaults."""

    name: str
    unit: str | None = None
    decimals: int | None = None
    width: int | None = None  # px
    header: str | None = None  # instead of the name, which links use
    link: Link | None = None
    hidden: bool = False  # used by links only
    verdict: bool = False  # coloured by verdict
    sign: bool = False  # coloured: above 0 is worse
    words: Mapping[str, str] | None = None  # colours of its texts

    def override(self) -> tuple[str, list[model.DynamicConfigValue]]:
        """Return the matcher's name and the properties."""
        found: dict[str, object] = {
            "unit": self.unit,
            "decimals": self.decimals,
            "displayName": self.header,
            "custom.width": self.width,
            "links": [self.link.json()] if self.link else None,
            "custom.hidden": True if self.hidden else None,
        }
        if self.verdict:
            found["mappings"] = verdict_mappings()
        if self.sign:
            found["thresholds"] = thresholds(BETTER, (0.0, UNCHANGED), (1e-9, WORSE)).build()
            found["color"] = {"mode": "thresholds"}
            # Otherwise a cell without a number has the colour of the lowest threshold.
            found["mappings"] = [
                model.SpecialValueMap(
                    options=model.DashboardSpecialValueMapOptions(
                        match=model.SpecialValueMatch.NULL_AND_NAN,
                        result=model.ValueMappingResult(text=NOTHING, color="text"),
                    )
                )
            ]
            found["custom.cellOptions"] = {"type": "color-text"}
        # Other texts have no colour; Grafana's own default is green.
        if self.words:
            found["mappings"] = [_coloured_words(self.words)]
            found["color"] = {"mode": "fixed", "fixedColor": "text"}
            found["custom.cellOptions"] = {"type": "color-text"}
        if self.verdict:
            found["color"] = {"mode": "fixed", "fixedColor": "transparent"}
            found["custom.cellOptions"] = {"type": "color-background", "mode": "basic"}
        return self.name, [
            model.DynamicConfigValue(k, v) for k, v in found.items() if v is not None
        ]


def percent(name: str, *, width: int = 95, sign: bool = False) -> Column:
    """Return a column of fractions, shown in percent."""
    return Column(name=name, unit=PERCENT, decimals=1, width=width, sign=sign)


def moment(name: str, *, header: str | None = None, link: Link | None = None) -> Column:
    """Return a column of times, shown to the minute."""
    return Column(name=name, unit="time:YYYY-MM-DD HH:mm", width=140, header=header, link=link)


def counts(*others: str) -> tuple[Column, ...]:
    """Return the columns with the number of figures per verdict, and `others`."""
    return tuple(Column(name=name, width=40 + 8 * len(name)) for name in (*_COUNTS, *others))


def hidden(*columns: str) -> tuple[Column, ...]:
    """Return columns that only links use."""
    return tuple(Column(name=name, hidden=True) for name in columns)


def verdict_mappings() -> list[model.ValueMapping]:
    """Return the colours of verdicts; cells keep their text.

    A change that its board cannot prove has the pale colour of a hint, whatever its verdict.
    """
    return [_coloured_words(WORD_COLOURS), *_endings(_HINTS)]


def _coloured_words(colours: Mapping[str, str]) -> model.ValueMap:
    return model.ValueMap(
        options={
            word: model.ValueMappingResult(text=word, color=colour, index=i)
            for i, (word, colour) in enumerate(colours.items())
        }
    )


def verdict_ends() -> list[model.ValueMapping]:
    """Return the colours for cells whose text ends with a verdict."""
    return _endings({**WORD_COLOURS, **_HINTS})


def _endings(colours: Mapping[str, str]) -> list[model.ValueMapping]:
    return [
        model.RegexMap(
            options=model.DashboardRegexMapOptions(
                pattern=f"/{re.escape(word)}$/",
                result=model.ValueMappingResult(color=colour, index=i),
            )
        )
        for i, (word, colour) in enumerate(colours.items())
    ]


def thresholds(lowest: str, *steps: tuple[float, str]) -> dashboard.ThresholdsConfig:
    """Return colours by value: `lowest`, then the colour of each step from its value on."""
    return (
        dashboard.ThresholdsConfig()
        .mode(model.ThresholdsMode.ABSOLUTE)
        .steps(
            [
                model.Threshold(value=None, color=lowest),
                *(model.Threshold(value=v, color=c) for v, c in steps),
            ]
        )
    )


def _said(panel: Panel, words: Words, queries: Sequence[Query]) -> Panel:
    return (
        panel.title(words.title)
        .description(five_seconds.told(words.question, words.sentence, words.description))
        .no_value(words.empty)
        .datasource(source())
        .targets([Target(q) for q in queries])
    )


def rows(words: Words, sql: str, *columns: Column) -> table.Panel:
    """Return a table."""
    panel = _said(table.Panel(), words, [Query(sql=sql)]).cell_height(shape.TableCellHeight.SM)
    panel = panel.inspect(True).override_by_regexp(
        "/.*/", [model.DynamicConfigValue("noValue", NOTHING)]
    )
    for column in columns:
        panel = panel.override_by_name(*column.override())
    return panel


def pivot(
    words: Words, sql: str, *, row: str, column: str, value: str, names: int, cells: int
) -> table.Panel:
    """Return a table of `value` with one row per `row` and one column per `column`.

    Cells end with a verdict and have its colour; empty cells show "not run".  `names` is the width
    of the first column, `cells` the least of every other one, in px.
    """
    panel = _said(table.Panel(), words, [Query(sql=sql)]).cell_height(shape.TableCellHeight.SM)
    return (
        panel.with_transformation(
            model.DataTransformerConfig(
                id_val="groupingToMatrix",
                options={
                    "rowField": row,
                    "columnField": column,
                    "valueField": value,
                    "emptyValue": "null",
                },
            )
        )
        .mappings(verdict_ends())
        # Row names and empty cells have no colour.
        .color_scheme(
            dashboard.FieldColor().mode(model.FieldColorModeId.FIXED).fixed_color("transparent")
        )
        .cell_options(
            shape.TableColoredBackgroundCellOptions(mode=shape.TableCellBackgroundDisplayMode.BASIC)
        )
        .min_width(cells)
        .override_by_regexp("/.*/", [model.DynamicConfigValue("noValue", "not run")])
        # So Grafana names the column of the names.
        .override_by_regexp(
            rf"/^{row}\\{column}$/", [model.DynamicConfigValue("custom.width", names)]
        )
    )


def one(
    words: Words,
    sql: str,
    *,
    unit: str | None = None,
    alarm: bool = False,
    link: Link | None = None,
) -> stat.Panel:
    """Return a panel with one number or word; `alarm` colours values above 0 as worse."""
    panel = (
        _said(stat.Panel(), words, [Query(sql=sql)])
        .graph_mode(shape.BigValueGraphMode.NONE)
        .color_mode(shape.BigValueColorMode.BACKGROUND if alarm else shape.BigValueColorMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).fields("/.*/"))
        .mappings(verdict_mappings())
        .thresholds(thresholds(UNCHANGED, (1.0, WORSE)) if alarm else thresholds(UNCHANGED))
    )
    if unit:
        panel = panel.unit(unit)
    return panel.data_links([_data_link(link)]) if link else panel


def sentence(words: Words, sql: str, *, alarm: str, link: Link) -> stat.Panel:
    """Return a panel with one sentence, which is coloured if it fits the pattern `alarm`."""
    return (
        _said(stat.Panel(), words, [Query(sql=sql)])
        .graph_mode(shape.BigValueGraphMode.NONE)
        .color_mode(shape.BigValueColorMode.BACKGROUND_SOLID)
        .text_mode(shape.BigValueTextMode.VALUE)
        .justify_mode(shape.BigValueJustifyMode.AUTO)
        .text(common.VizTextDisplayOptions().value_size(18))
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).fields("/.*/"))
        .mappings(
            [
                model.RegexMap(
                    options=model.DashboardRegexMapOptions(
                        pattern=alarm, result=model.ValueMappingResult(color=WORSE, index=0)
                    )
                )
            ]
        )
        .thresholds(thresholds("transparent"))
        .data_links([_data_link(link)])
    )


def _data_link(link: Link) -> dashboard.DashboardLink:
    return dashboard.DashboardLink(link.title).url(link.url).target_blank(False)


def _without_value(panel: Panel, text: str) -> Panel:
    """Set the text for one missing value; that of the whole panel is longer.

    Grafana writes it at ticks of an axis without a label, and in the legend of a heat map.  A
    blank or empty text would be drawn as 0.
    """
    return panel.override_by_regexp("/.*/", [model.DynamicConfigValue("noValue", text)])


def lines(words: Words, *queries: Query, unit: str = "") -> timeseries.Panel:
    """Return a time series."""
    return (
        _said(timeseries.Panel(), words, queries)
        .unit(unit or "short")
        .legend(_legend())
        .tooltip(common.VizTooltipOptions().mode(shape.TooltipDisplayMode.SINGLE))
        .show_points(shape.VisibilityMode.ALWAYS)
        .point_size(5)
        .line_width(1)
        .fill_opacity(0)
    )


def bars_over_time(words: Words, sql: str, *, unit: str) -> timeseries.Panel:
    """Return stacked bars over time from rows `time, metric, value`."""
    return (
        lines(words, Query(sql=sql, format=Format.TIME_SERIES), unit=unit)
        .min(0)
        .draw_style(shape.GraphDrawStyle.BARS)
        .show_points(shape.VisibilityMode.NEVER)
        .fill_opacity(70)
        .stacking(common.StackingConfig().mode(shape.StackingMode.NORMAL).group("A"))
    )


def bars(
    words: Words, sql: str, *, x: str, unit: str, lying: bool = False, log: bool = False
) -> barchart.Panel:
    """Return a bar per row and numeric column.

    `lying` bars are horizontal, for long names; `log` is for values of several orders of
    magnitude.
    """
    panel = (
        _without_value(_said(barchart.Panel(), words, [Query(sql=sql)]), _INVISIBLE)
        # Otherwise a name that is a number gets the unit of the values.
        .override_by_name(x, [model.DynamicConfigValue("unit", "string")])
        .x_field(x)
        .x_tick_label_max_length(40)
        .text(common.VizTextDisplayOptions().value_size(12))
        .unit(unit)
        .line_width(0)
        .fill_opacity(90)
        .orientation(shape.VizOrientation.HORIZONTAL if lying else shape.VizOrientation.VERTICAL)
        .legend(_legend())
        .tooltip(common.VizTooltipOptions().mode(shape.TooltipDisplayMode.MULTI))
    )
    if unit == PERCENT:
        panel = panel.decimals(1)
    if log:
        panel = panel.scale_distribution(
            common.ScaleDistributionConfig().type(shape.ScaleDistribution.LOG).log(10)
        )
    return panel


def shares(words: Words, sql: str, *, x: str) -> barchart.Panel:
    """Return bars side by side over many ordered buckets, whose names are the column `x`."""
    return (
        bars(words, sql, x=x, unit=PERCENT)
        .show_value(shape.VisibilityMode.NEVER)
        .bar_width(1)
        .group_width(0.9)
        .x_tick_label_spacing(60)
    )


def spread(words: Words, *queries: Query) -> histogram.Panel:
    """Return a histogram with one distribution per numeric column."""
    return (
        _said(histogram.Panel(), words, queries)
        .legend(_legend())
        .fill_opacity(40)
        .line_width(1)
        .combine(False)
    )


def nights(words: Words, sql: str) -> statushistory.Panel:
    """Return a heat map of words from rows `time, metric, value`.

    `metric` names the row; `value` is the place of its word in `WORDS`, from 1.  The times must
    be equally far apart, and the same for all rows: the panel derives the width of a cell from
    the first two.
    """
    return (
        _without_value(
            _said(statushistory.Panel(), words, [Query(sql=sql, format=Format.TIME_SERIES)]),
            "nothing compared",
        )
        .mappings([_places()])
        .color_scheme(
            dashboard.FieldColor().mode(model.FieldColorModeId.FIXED).fixed_color("transparent")
        )
        .show_value(shape.VisibilityMode.AUTO)
        .row_height(0.9)
        .col_width(0.98)
        .line_width(0)
        .fill_opacity(100)
        .legend(_legend())
        .tooltip(common.VizTooltipOptions().mode(shape.TooltipDisplayMode.SINGLE))
    )


def _places() -> model.ValueMap:
    """Return text and colour of each of `WORDS` by its place, from 1."""
    return model.ValueMap(
        options={
            str(place): model.ValueMappingResult(text=word, color=WORD_COLOURS[word], index=place)
            for place, word in enumerate(WORDS, 1)
        }
    )


def states(words: Words, sql: str) -> statetimeline.Panel:
    """Return a line of words for each `metric`, from rows `time, metric, value`.

    `value` is the place of its word in `WORDS`, from 1, and holds until the next one.
    """
    return (
        _said(statetimeline.Panel(), words, [Query(sql=sql, format=Format.TIME_SERIES)])
        .mappings([_places()])
        .color_scheme(
            dashboard.FieldColor().mode(model.FieldColorModeId.FIXED).fixed_color("transparent")
        )
        .show_value(shape.VisibilityMode.AUTO)
        .merge_values(True)
        .row_height(0.8)
        .line_width(0)
        .fill_opacity(100)
        .legend(_legend())
        .tooltip(common.VizTooltipOptions().mode(shape.TooltipDisplayMode.SINGLE))
    )


def over(
    words: Words, sql: str, *, unit: str, points: bool = False, log: Mapping[str, float] = _LINEAR
) -> xychart.Panel:
    """Return each numeric column over the first one, as lines or as points.

    `log` has the base of the logarithm of each column whose axis has one.  The options are
    those of Grafana 10; from 11.1 on it changes those of a panel that names no version.
    """
    panel = (
        _said(xychart.Panel(), words, [Query(sql=sql)])
        .series_mapping(xy_shape.SeriesMapping.AUTO)
        .dims(xychart.XYDimensionConfig().frame(0))
        .series([])
        .unit(unit)
        .show(xy_shape.ScatterShow.POINTS if points else xy_shape.ScatterShow.LINES)
        .legend(_legend())
        .tooltip(common.VizTooltipOptions().mode(shape.TooltipDisplayMode.SINGLE))
    )
    for name, base in log.items():
        scale = {"type": "log", "log": base}
        panel = panel.override_by_name(
            name, [model.DynamicConfigValue("custom.scaleDistribution", scale)]
        )
    return panel


def heat(words: Words, sql: str) -> heatmap.Panel:
    """Return a heat map from rows `time, metric, value`; `metric` is a bucket's lower bound.

    Grafana sorts the rows by the text of `metric`: its numbers must be padded to one length.
    """
    return (
        _said(heatmap.Panel(), words, [Query(sql=sql, format=Format.TIME_SERIES)])
        .calculate(False)
        .rows_frame(heatmap.RowsHeatmapOptions().layout(shape.HeatmapCellLayout.GE))
        .color(
            heatmap.HeatmapColorOptions()
            .mode(heatmap_shape.HeatmapColorMode.SCHEME)
            .scheme("Cividis")  # readable with any kind of colour blindness
            .steps(64)
        )
        .hide_from(common.HideSeriesConfig().legend(False).tooltip(False).viz(False))
        .show_legend()
    )


def coloured(panel: Panel, colours: Mapping[str, str]) -> Panel:
    """Set the colours of numeric columns."""
    for name, colour in colours.items():
        panel = panel.override_by_name(
            name, [model.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": colour})]
        )
    return panel


def _legend() -> common.VizLegendOptions:
    return (
        common.VizLegendOptions()
        .display_mode(shape.LegendDisplayMode.LIST)
        .placement(shape.LegendPlacement.BOTTOM)
        .show_legend(True)
    )
