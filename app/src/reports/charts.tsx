import type { ComponentChildren } from "preact";
import { formatNumber, formatReportDayShort } from "../format.ts";
import { t } from "../texts.ts";
import { type ChartValue, sumOrNullIfAllNull, svgLinePath } from "./chart-values.ts";

export type ChartSeries = {
  label: string;
  color: "blue" | "green" | "orange" | "red" | "grey";
  /** One per label of the chart. */
  values: ChartValue[];
};

type ChartProps = {
  caption: string;
  labels: string[];
  series: ChartSeries[];
  isWide?: boolean;
  children: ComponentChildren;
};

/** A chart with caption, legend, text summary and an optional table. */
function Chart({ caption, labels, series, isWide = false, children }: ChartProps) {
  const values = series.flatMap((one) => one.values);
  const isEmpty = values.every((value) => !value);
  const isUncounted = values.length > 0 && values.every((value) => value === null);
  return (
    <figure class={isWide ? "chart card wide" : "chart card"}>
      <figcaption>{caption}</figcaption>
      {series.length > 1 && (
        <ul class="legend" aria-hidden="true">
          {series.map(({ label, color }) => (
            <li key={label} class={color}>
              {label}
            </li>
          ))}
        </ul>
      )}
      {isEmpty ? (
        <p class="empty">{t(isUncounted ? "chart.uncounted" : "chart.empty")}</p>
      ) : (
        <div
          class="plot"
          role="img"
          aria-label={`${caption}: ${series.map((one) => inWords(one, labels)).join("; ")}`}
        >
          {children}
        </div>
      )}
      {!isEmpty && <Figures caption={caption} labels={labels} series={series} />}
    </figure>
  );
}

/** The text alternative of a chart. */
const inWords = ({ label, values }: ChartSeries, labels: string[]): string =>
  `${label}: ${labels.map((name, at) => `${name} ${formatNumber(values[at])}`).join(", ")}`;

function Figures({ caption, labels, series }: Omit<ChartProps, "children">) {
  return (
    <details class="figures">
      <summary>{t("chart.table")}</summary>
      <section class="table" tabIndex={0} aria-label={caption}>
        <table>
          <thead>
            <tr>
              <td />
              {series.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, at) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {series.map(({ label: name, values }) => (
                  <td key={name}>{formatNumber(values[at])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

type ByDayProps = { caption: string; days: string[]; series: ChartSeries[] };

/** Size of the view box, stretched to the available width. */
const field = { width: 600, height: 160 };

/** The next round number, for the scale. */
function roundedUp(highest: number): number {
  if (highest <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(highest));
  // Even, since half of it is shown too.
  return Math.ceil(highest / unit / 2) * 2 * unit;
}

type GridProps = { top: number; days: string[]; children: ComponentChildren };

/** The grid, with the scale at the side and days below. */
function Grid({ top, days, children }: GridProps) {
  const shown = [days[0], days[Math.floor(days.length / 2)], days.at(-1)].filter((day) => day !== undefined);
  return (
    <div class="grid">
      <div class="scale">
        <span>{formatNumber(top)}</span>
        <span>{formatNumber(top / 2)}</span>
        <span>0</span>
      </div>
      <svg viewBox={`0 0 ${field.width} ${field.height}`} preserveAspectRatio="none" aria-hidden="true">
        {[0, 0.5, 1].map((part) => (
          <line
            key={part}
            class="rule"
            x1={0}
            x2={field.width}
            y1={part * field.height}
            y2={part * field.height}
          />
        ))}
        {children}
      </svg>
      <div class="days">
        {shown.map((day) => (
          <span key={day}>{formatReportDayShort(day)}</span>
        ))}
      </div>
    </div>
  );
}

export function DailyLineChart({ caption, days, series }: ByDayProps) {
  const top = roundedUp(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const step = field.width / Math.max(1, days.length - 1);
  return (
    <Chart caption={caption} labels={days} series={series} isWide>
      <Grid top={top} days={days}>
        {series.map(({ label, color, values }) => (
          <path
            key={label}
            class={`line ${color}`}
            d={svgLinePath(values, step, field.height / top, field.height)}
          />
        ))}
      </Grid>
    </Chart>
  );
}

export function DailyBarChart({ caption, days, series }: ByDayProps) {
  const totals = days.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const top = roundedUp(Math.max(0, ...totals));
  const step = field.width / Math.max(1, days.length);
  const heightOf = (value: number) => (field.height * value) / top;
  return (
    <Chart caption={caption} labels={days} series={series} isWide>
      <Grid top={top} days={days}>
        {days.map((day, at) => {
          let base = field.height;
          return series.map(({ label, color, values }) => {
            const height = heightOf(values[at] ?? 0);
            base -= height;
            return (
              <rect
                key={`${day} ${label}`}
                class={color}
                x={at * step + step * 0.15}
                width={step * 0.7}
                y={base}
                height={height}
              />
            );
          });
        })}
      </Grid>
    </Chart>
  );
}

export function HorizontalBarChart({
  caption,
  labels,
  series,
}: {
  caption: string;
  labels: string[];
  series: ChartSeries[];
}) {
  const totals = labels.map((_, at) => sumOrNullIfAllNull(series.map(({ values }) => values[at] ?? null)));
  const top = Math.max(...totals.map((total) => total ?? 0), 0) || 1;
  return (
    <Chart caption={caption} labels={labels} series={series}>
      <div class="rows">
        {labels.map((label, at) => (
          <div key={label} class="bar-row">
            <span class="bar-label">{label}</span>
            <span class="bar">
              {series.map(({ label: name, color, values }) => (
                <span key={name} class={color} style={{ width: `${((values[at] ?? 0) / top) * 100}%` }} />
              ))}
            </span>
            <span class="bar-total">{formatNumber(totals[at])}</span>
          </div>
        ))}
      </div>
    </Chart>
  );
}
