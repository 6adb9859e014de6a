/* global Chart */

const colors = {
  blue: "#4c7df0",
  green: "#2fa36b",
  orange: "#e58a2b",
  red: "#d8504d",
  grey: "#98a2b1",
};

/** At most so many courses are drawn, those of which there is most to tell. */
const mostCourses = 15;

/** What is drawn on the page; a redraw replaces it. */
let drawn = [];

/** Every chart, and the report that it is drawn from. */
const drawings = [
  ["overview", drawActivity],
  ["progress", drawCourses],
  ["university", drawActivity],
  ["university", drawCourses],
  ["overview", drawStreaks],
  ["assessments", drawAttempts],
  ["cache", drawAnswers],
  ["tutor", drawCostByDay],
  ["tutor", drawCostByCourse],
];

/** Draws the reports that are there. */
export function drawCharts(place, reports) {
  for (const chart of drawn) chart.destroy();
  place.replaceChildren();
  drawn = drawings
    .filter(([report]) => reports[report])
    .map(([report, drawOne]) => drawOne(place, reports[report]));
}

function drawAttempts(place, { quiz_pass_count, quiz_fail_count }) {
  return drawParts(place, "Quiz attempts", [
    ["Passed", quiz_pass_count, colors.green],
    ["Failed", quiz_fail_count, colors.red],
  ]);
}

function drawAnswers(place, { cache_hit_count, cache_miss_count }) {
  return drawParts(place, "Answers to cacheable messages", [
    ["Served from the tree", cache_hit_count, colors.green],
    ["Written by the LLM", cache_miss_count, colors.orange],
  ]);
}

function drawCostByDay(place, { daily }) {
  return draw(place, "Cost of the tutor by day", {
    type: "bar",
    wide: true,
    labels: daily.map(({ date }) => date),
    datasets: costs(daily),
    options: {
      scales: { x: { stacked: true, ticks: { maxTicksLimit: 10 } }, y: { stacked: true, ticks: inCents } },
    },
  });
}

function drawCostByCourse(place, { per_course_breakdown }) {
  const dearest = per_course_breakdown
    .toSorted((one, other) => other.cost_micros - one.cost_micros)
    .slice(0, mostCourses);
  return draw(place, "Cost of the tutor by course", {
    type: "bar",
    labels: dearest.map(({ code }) => code),
    datasets: costs(dearest),
    options: { indexAxis: "y", scales: { x: { stacked: true, ticks: inCents }, y: { stacked: true } } },
  });
}

const inCents = { precision: 2 };

/** What the LLM cost, and what sharing its answers saved. */
const costs = (lines) =>
  [
    ["Cost", "cost_micros", colors.orange],
    ["Saved", "cost_saved_micros", colors.green],
  ].map(([label, figure, color]) => ({
    label,
    data: lines.map((line) => (line[figure] ?? 0) / 1_000_000),
    backgroundColor: color,
  }));

function drawActivity(place, { daily_new_signups, daily_active_users }) {
  const line = (label, series, color) => ({
    label,
    data: series.map(({ count }) => count),
    borderColor: color,
    backgroundColor: color,
    borderWidth: 2,
    pointRadius: 0,
    pointHitRadius: 8,
  });
  return draw(place, daily_new_signups ? "Sign-ups and active people by day" : "Active people by day", {
    type: "line",
    wide: true,
    labels: daily_active_users.map(({ date }) => date),
    datasets: [
      line("Active people", daily_active_users, colors.blue),
      ...(daily_new_signups ? [line("Sign-ups", daily_new_signups, colors.green)] : []),
    ],
    options: {
      interaction: { mode: "index", intersect: false },
      scales: { x: { ticks: { maxTicksLimit: 10 } } },
    },
  });
}

function drawCourses(place, { per_course_breakdown }) {
  const courses = per_course_breakdown
    .toSorted((one, other) => other.total_enrollments - one.total_enrollments)
    .slice(0, mostCourses);
  const part = (label, status, color) => ({
    label,
    data: courses.map((course) => course.enrollment_counts_by_status[status]),
    backgroundColor: color,
  });
  return draw(place, "Completion and drop-off by course", {
    type: "bar",
    labels: courses.map(({ code }) => code),
    datasets: [
      part("Completed", "COMPLETED", colors.green),
      part("Active", "ACTIVE", colors.blue),
      part("Dropped", "DROPPED", colors.red),
      part("Waiting", "WAITLISTED", colors.grey),
      part("Pending", "PENDING", colors.orange),
    ],
    options: { indexAxis: "y", scales: { x: { stacked: true }, y: { stacked: true } } },
  });
}

function drawStreaks(place, { streak_distribution }) {
  return draw(place, "People by streak, in days", {
    type: "bar",
    labels: streak_distribution.map(({ bucket }) => bucket),
    datasets: [
      { label: "People", data: streak_distribution.map(({ users }) => users), backgroundColor: colors.blue },
    ],
    options: { plugins: { legend: { display: false } } },
  });
}

/** A whole and its parts: `[label, amount, color]` each. */
function drawParts(place, caption, parts) {
  return draw(place, caption, {
    type: "doughnut",
    labels: parts.map(([label]) => label),
    datasets: [
      { data: parts.map(([, amount]) => amount), backgroundColor: parts.map(([, , color]) => color) },
    ],
  });
}

function draw(place, caption, { type, wide = false, labels, datasets, options = {} }) {
  const figure = document.querySelector("#chart").content.firstElementChild.cloneNode(true);
  figure.classList.toggle("wide", wide);
  figure.querySelector("figcaption").textContent = caption;
  const canvas = figure.querySelector("canvas");
  canvas.ariaLabel = `${caption}: ${datasets.map((one) => inWords(one, labels)).join("; ")}`;
  place.append(figure);
  Chart.defaults.scales.linear.ticks = { ...Chart.defaults.scales.linear.ticks, precision: 0 };
  Chart.defaults.color = getComputedStyle(document.body).color;
  return new Chart(canvas, {
    type,
    data: { labels, datasets },
    options: { maintainAspectRatio: false, animation: false, ...options },
  });
}

/** What a chart shows, for those who do not see it. */
const inWords = ({ label, data }, labels) =>
  [label, labels.map((name, index) => `${name} ${data[index]}`).join(", ")].filter(Boolean).join(": ");
