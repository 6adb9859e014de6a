import { Refusal, readCsv, readReport, signIn, signOut } from "./api.js";
import { drawCharts } from "./charts.js";

const names = ["overview", "engagement", "progress", "assessments", "cache", "tutor", "community"];
const ofPeriod = ["overview", "engagement", "progress", "assessments", "tutor", "university"];

const find = (selector) => document.querySelector(selector);
const say = (text) => {
  find("#message").textContent = text;
};

find("#sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const { email, password } = event.target.elements;
  attempt(async () => {
    await signIn(email.value, password.value);
    password.value = "";
    await show();
  });
});

find("#period").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(show);
});

find("#sign-out").addEventListener("click", () => {
  signOut();
  open(false);
});

find("#universities select").addEventListener("change", () => attempt(show));

for (const name of [...names, "university"]) {
  const button = document.createElement("button");
  button.className = "quiet";
  button.textContent = `${name}.csv`;
  button.dataset.report = name;
  button.addEventListener("click", () => attempt(() => download(name)));
  find("#downloads").append(button);
}

/** Does something that the API may refuse, and says so. Whoever is not let in is asked to sign in. */
async function attempt(action) {
  say("…");
  try {
    await action();
    say("");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 401 || error.status === 403) open(false);
    say(error.status === 403 ? "The reports are for administrators." : error.message);
  }
}

function open(isOpen) {
  if (!isOpen) find("#universities").hidden = true;
  find("#sign-in").hidden = isOpen;
  find("#period").hidden = !isOpen;
  find("#reports").hidden = !isOpen;
}

/** The period that is chosen; what is left empty is the API's to fill in. Of the courses as many as it gives. */
function queryOf(name) {
  if (!ofPeriod.includes(name)) return {};
  const chosen = [...new FormData(find("#period"))].filter(([, date]) => date);
  const isByCourse = ["progress", "tutor", "university"].includes(name);
  return { ...Object.fromEntries(chosen), ...(isByCourse && { limit: 1000 }) };
}

/** Where a report is: the platform's, or that of the university that is chosen. */
const pathOf = (name) =>
  name === "university"
    ? `/universities/${find("#universities select").value}/analytics`
    : `/admin/analytics/${name}`;

async function show() {
  const read = await Promise.all(names.map((name) => readIfAllowed(name)));
  const reports = Object.fromEntries(
    names.map((name, index) => [name, read[index]]).filter(([, one]) => one),
  );
  if (!reports.overview) reports.university = await readUniversity();
  const { date_from, date_to } = find("#period").elements;
  date_from.value = reports.tutor.date_from;
  date_to.value = reports.tutor.date_to;
  open(true);
  showTiles(reports);
  drawCharts(find("#charts"), reports);
  for (const button of find("#downloads").children) button.hidden = !reports[button.dataset.report];
}

/** The report of the university that is chosen, by whoever may not see the platform's. */
async function readUniversity() {
  const choice = find("#universities");
  const select = choice.querySelector("select");
  if (choice.hidden) {
    const universities = await readReport("/universities", { limit: 1000 });
    select.replaceChildren(
      new Option("Choose one", ""),
      ...universities.map(({ id, name }) => new Option(name, id)),
    );
    choice.hidden = false;
  }
  return select.value ? await readReport(pathOf("university"), queryOf("university")) : undefined;
}

/** A report, or nothing where it is not the reader's: that of the tutor is every administrator's, the others the platform's. */
async function readIfAllowed(name) {
  try {
    return await readReport(pathOf(name), queryOf(name));
  } catch (refusal) {
    if (refusal.status !== 403 || name === "tutor") throw refusal;
  }
}

/** The key figures of each report. */
const tilesOf = {
  overview: (report) => [
    ["Registered people", number(report.total_registered_users)],
    ["Active in 7 days", number(report.weekly_active_users)],
    ["Active in 30 days", number(report.monthly_active_users)],
  ],
  engagement: (report) => [
    ["Completion rate of topics", percent(report.completion_rate)],
    ["Time per topic", minutes(report.average_time_per_topic_seconds)],
  ],
  progress: (report) => [
    ["Enrollments", number(report.total_enrollments)],
    ["Dropped in the period", number(report.drop_off_count)],
  ],
  assessments: (report) => [
    ["Quiz pass rate", percent(report.quiz_pass_rate)],
    ["Certificates issued in the period", number(report.certificate_issue_count)],
  ],
  cache: (report) => [
    ["Cache hit rate", percent(report.cache_hit_rate)],
    ["LLM calls saved", number(report.total_hits_served)],
  ],
  tutor: (report) => [
    ["LLM calls in the period", number(report.calls)],
    ["Cost in the period", money(report.cost_micros)],
    ["Cost saved in the period", money(report.cost_saved_micros)],
  ],
  university: (report) => [
    ["Active in the period", number(report.active_users)],
    ["Active in 7 days", number(report.weekly_active_users)],
    ["Active in 30 days", number(report.monthly_active_users)],
    ["Enrollments", number(report.total_enrollments)],
    ["New in the period", number(report.new_enrollment_count)],
    ["Completed in the period", number(report.completed_enrollment_count)],
    ["Dropped in the period", number(report.drop_off_count)],
    ["Certificates issued in the period", number(report.certificate_issue_count)],
    ["Completion rate of topics", percent(report.completion_rate)],
  ],
  community: (report) => [
    ["Average course rating", decimal(report.average_course_rating)],
    ["Discussion posts", number(report.total_discussion_posts)],
  ],
};

function showTiles(reports) {
  const tiles = Object.entries(reports).flatMap(([name, report]) => (report ? tilesOf[name](report) : []));
  find("#tiles").replaceChildren(...tiles.map(tileOf));
}

function tileOf([label, value]) {
  const tile = find("#tile").content.firstElementChild.cloneNode(true);
  tile.querySelector("strong").textContent = value;
  tile.querySelector("span").textContent = label;
  return tile;
}

async function download(name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await readCsv(pathOf(name), queryOf(name)));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A figure in the reader's language; what there is no figure of is a dash. */
const figure = (format) => (value) => (value === null ? "–" : format(value));
const formatted = (options) => figure((value) => new Intl.NumberFormat(undefined, options).format(value));
const number = formatted({});
const decimal = formatted({ maximumFractionDigits: 1 });
const percent = formatted({ style: "percent", maximumFractionDigits: 1 });
const money = figure((micros) => formatted({ maximumFractionDigits: 2 })(micros / 1_000_000));
const minutes = figure((seconds) => `${decimal(seconds / 60)} min`);
