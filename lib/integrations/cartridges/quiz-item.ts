import { type EncodedOmission, encodeOmission } from "../../platform/results/omission-codes.ts";
import type { ConvertedItem } from "./made-item.ts";
import type { NativeItem } from "./parse-native-item.ts";
import type { ParsedQuiz } from "./read-quiz.ts";
import { cutText, maxItemDescriptionCharacters, resolveItemDates } from "./settings.ts";

type QuizItem = Omit<ConvertedItem, "title" | "draws">;

const maxQuizItemPoints = 9999.99;

/** With its settings, or as our export wrote it, and what was omitted. */
export function toQuizItems(
  quiz: ParsedQuiz,
  own: NativeItem | undefined,
): { items: QuizItem[]; leftOut: EncodedOmission[] } {
  if (own) {
    const { title: _, type: __, ...item } = own;
    return { items: [{ type: "quiz", files: [], ...item }], leftOut: [] };
  }
  const { settings } = quiz;
  const { leftOut: lost, ...dates } = resolveItemDates(settings);
  const drawn = drawnFrom(quiz);
  const { max_attempts, time_limit_seconds, randomize_order, show_answers, anonymous } = settings;
  const cut: EncodedOmission[] = [];
  const description = cutText(
    settings.description ?? "",
    maxItemDescriptionCharacters,
    "description",
    (line) => cut.push(line),
  );
  const points = Math.min(settings.points ?? drawn.points, maxQuizItemPoints);
  const item: QuizItem = {
    type: "quiz",
    files: [],
    ...dates,
    ...(description && { description }),
    data_json: {
      quiz_mode: "practice",
      num_questions_per_attempt: drawn.count,
      ...(time_limit_seconds !== undefined && { time_limit_seconds }),
      ...(randomize_order && { randomize_order }),
      ...(show_answers && { show_answers }),
      ...(anonymous && { anonymous }),
      mastery: { points, ...(typeof max_attempts === "number" && { max_attempts }) },
    },
  };
  return { items: [item], leftOut: [...lost, ...cut, ...drawn.leftOut] };
}

/**
 * How many questions an attempt draws, and their points; null for all. Here they are drawn from the whole pool,
 * so several groups are reported.
 */
function drawnFrom({ questions, groups }: ParsedQuiz): {
  count: number | null;
  points: number;
  leftOut: EncodedOmission[];
} {
  const inGroups = groups
    .filter(({ bank }) => bank === undefined)
    .reduce((sum, one) => sum + one.questions, 0);
  const alone = questions.length - inGroups;
  const known = questions.reduce((sum, one) => sum + one.points, 0);
  const average = questions.length === 0 ? 1 : known / questions.length;
  const drawn = groups.map(({ draws, questions: count, pointsEach }) => {
    const taken = Math.min(draws ?? count, count);
    return { taken, isAll: taken === count, points: taken * (pointsEach ?? average) };
  });
  const count = drawn.reduce((sum, { taken }) => sum + taken, alone);
  const sum = drawn.reduce((total, one) => total + one.points, alone * average);
  const points = Math.round(sum * 100) / 100;
  if (drawn.every(({ isAll }) => isAll)) return { count: null, points, leftOut: [] };
  const isOneGroup = groups.length === 1 && alone === 0;
  return { count, points, leftOut: isOneGroup ? [] : [encodeOmission("left_out_groups", { count })] };
}
