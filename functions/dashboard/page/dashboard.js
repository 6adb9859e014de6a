import { Refusal, readCsv, readReport, signIn, signOut } from "./api.js";
import { drawCharts } from "./charts.js";

const names = ["overview", "engagement", "progress", "assessments", "cache", "community"];
const ofPeriod = ["overview", "engagement", "progress", "assessments"];

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

for (const name of names) {
  const button = document.createElement("button");
  button.className = "quiet";
  button.textContent = `${name}.csv`;
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
    say(error.status === 403 ? "The reports are for platform administrators." : error.message);
  }
}

function open(isOpen) {
  find("#sign-in").hidden = isOpen;
  find("#period").hidden = !isOpen;
  find("#reports").hidden = !isOpen;
}

/** The period that is chosen; what is left empty is the API's to fill in. Of the courses as many as it gives. */
function queryOf(name) {
  if (!ofPeriod.includes(name)) return {};
  const chosen = [...new FormData(find("#period"))].filter(([, date]) => date);
  return { ...Object.fromEntries(chosen), ...(name === "progress" && { limit: 1000 }) };
}

async function show() {
  const read = await Promise.all(names.map((name) => readReport(name, queryOf(name))));
  const reports = Object.fromEntries(names.map((name, index) => [name, read[index]]));
  const { date_from, date_to } = find("#period").elements;
  date_from.value = reports.overview.date_from;
  date_to.value = reports.overview.date_to;
  open(true);
  showTiles(reports);
  drawCharts(find("#charts"), reports);
}

function showTiles({ overview, engagement, progress, assessments, cache, community }) {
  const tiles = [
    ["Registered people", number(overview.total_registered_users)],
    ["Active in 7 days", number(overview.weekly_active_users)],
    ["Active in 30 days", number(overview.monthly_active_users)],
    ["Completion rate of topics", percent(engagement.completion_rate)],
    ["Time per topic", minutes(engagement.average_time_per_topic_seconds)],
    ["Enrollments", number(progress.total_enrollments)],
    ["Dropped in the period", number(progress.drop_off_count)],
    ["Quiz pass rate", percent(assessments.quiz_pass_rate)],
    ["Cache hit rate", percent(cache.cache_hit_rate)],
    ["LLM calls saved", number(cache.total_hits_served)],
    ["Average course rating", decimal(community.average_course_rating)],
    ["Discussion posts", number(community.total_discussion_posts)],
  ];
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
  link.href = URL.createObjectURL(await readCsv(name, queryOf(name)));
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
const minutes = figure((seconds) => `${decimal(seconds / 60)} min`);
