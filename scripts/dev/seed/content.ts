import type { ContentTypeName, ModuleType, QuestionKind } from "../../../schema/enums.ts";

/** A demo content item; `pool` becomes a question pool for a quiz. */
export type SeedItem = {
  type: ContentTypeName;
  title: string;
  description: string;
  minutes: number;
  data: Record<string, unknown>;
  pool?: readonly SeedQuestion[];
};

export type SeedQuestion = {
  kind: Uppercase<QuestionKind>;
  text: string;
  options?: { id: string; text: string }[];
  answer: Record<string, unknown>;
  explanation: string;
};

export type SeedModule = {
  type: Uppercase<ModuleType>;
  title: string;
  description: string;
  items?: readonly SeedItem[];
  modules?: readonly SeedModule[];
};

type About = { title: string; description: string; minutes: number };

type Block =
  | { type: "paragraph"; text: string }
  | { type: "math"; latex: string }
  | { type: "link_list"; items: { label: string; url: string }[] };

export const paragraph = (text: string): Block => ({ type: "paragraph", text });

export const math = (latex: string): Block => ({ type: "math", latex });

export const text = (about: About, ...blocks: Block[]): SeedItem => ({
  type: "text",
  ...about,
  data: { layout: "article", title: about.title, blocks },
});

export const video = (about: About, file: string, transcript: readonly string[]): SeedItem => {
  const seconds = about.minutes * 60;
  const step = seconds / transcript.length;
  const segments = transcript.map((text, at) => ({ start: at * step, end: (at + 1) * step, text }));
  const url = `https://media.northgate.example/${file}.mp4`;
  return {
    type: "video",
    ...about,
    data: {
      provider: "internal",
      video_id: file,
      url,
      duration_seconds: seconds,
      transcript: { language: "en", segments },
    },
  };
};

export const quiz = (about: About, ...pool: SeedQuestion[]): SeedItem => ({
  type: "quiz",
  ...about,
  pool,
  data: {
    quiz_mode: "practice",
    num_questions_per_attempt: pool.length,
    randomize_order: true,
    time_limit_seconds: null,
    mastery: { points: 10, threshold_correct_in_row: 2, max_attempts: 5 },
  },
});

/** A quiz with one attempt of half an hour, which shows answers after everyone's time is over. */
export const exam = (about: About, ...pool: SeedQuestion[]): SeedItem => ({
  type: "quiz",
  ...about,
  pool,
  data: {
    quiz_mode: "exam",
    num_questions_per_attempt: pool.length,
    randomize_order: true,
    time_limit_seconds: 1800,
    mastery: { points: pool.length, max_attempts: 1 },
    passing_percent: 60,
    show_answers: "after_due",
  },
});

export const pythonLab = (
  about: About,
  files: Record<string, "student_visible" | "hidden_test">,
): SeedItem => ({
  type: "engineering_lab",
  ...about,
  data: {
    lab_type: "notebook",
    runtime: "python-data-science",
    container_image: "labs/python-data-science:3.13",
    cpu_limit: "1",
    memory_limit: "512Mi",
    timeout_seconds: 60,
    entrypoint: "pytest -q",
    env: { PYTHONHASHSEED: "0" },
    files: Object.entries(files).map(([path, role]) => ({ path, role })),
    grading: { type: "tests", max_points: 20 },
  },
});

export const assignment = (about: About, instructions: string, criteria: readonly string[]): SeedItem => ({
  type: "assignment",
  ...about,
  data: { instructions, max_points: 100, criteria },
});

export const resources = (
  about: About,
  ...links: { label: string; url: string; kind: string }[]
): SeedItem => ({
  type: "resource",
  ...about,
  data: { resources: links },
});

/** A question with one correct option; options are named A, B, C in order. */
export function choice(
  text: string,
  options: readonly string[],
  right: string,
  explanation: string,
): SeedQuestion {
  const named = options.map((option, at) => ({ id: String.fromCharCode(65 + at), text: option }));
  const answer = { option_id: named.find((option) => option.text === right)?.id };
  return { kind: "SINGLE_CHOICE", text, options: named, answer, explanation };
}

export const numeric = (
  text: string,
  value: number,
  tolerance: number,
  explanation: string,
): SeedQuestion => ({
  kind: "NUMERIC",
  text,
  answer: { value, tolerance },
  explanation,
});

export const trueOrFalse = (text: string, answer: boolean, explanation: string): SeedQuestion => ({
  kind: "TRUE_FALSE",
  text,
  answer: { value: answer },
  explanation,
});
