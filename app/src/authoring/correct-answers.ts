import type { Schemas } from "learning-platform-client";

type Question = Schemas["Question"];

/** Form state of an answer. The question's kind decides which fields count. */
export type CorrectAnswerFormState = {
  options: { text: string; isRight: boolean; id?: string }[];
  isTrue: boolean;
  value: number | undefined;
  tolerance: number | undefined;
  texts: string[];
};

export function initialCorrectAnswerFormState(question?: Question): CorrectAnswerFormState {
  const { option_id, option_ids = [], value, tolerance, texts = [] } = question?.answer ?? {};
  const isRight = (id: string) => id === option_id || option_ids.includes(id);
  return {
    options: question?.options?.map(({ id, text }) => ({ id, text, isRight: isRight(id) })) ?? [
      { text: "", isRight: true },
      { text: "", isRight: false },
    ],
    isTrue: value !== false,
    value: typeof value === "number" ? value : undefined,
    tolerance,
    texts,
  };
}

/** The options and the correct answer in the API's format. */
export function toApiOptionsAndAnswer(
  kind: Question["kind"],
  { options, isTrue, value, tolerance, texts }: CorrectAnswerFormState,
): Pick<Schemas["QuestionCreate"], "options" | "answer"> {
  const named = withIds(options);
  const right = named.filter(({ isRight }) => isRight).map(({ id }) => id);
  const shown = named.map(({ id, text }) => ({ id, text }));
  switch (kind) {
    case "SINGLE_CHOICE":
      return { options: shown, answer: right[0] === undefined ? {} : { option_id: right[0] } };
    case "MULTIPLE_CHOICE":
      return { options: shown, answer: { option_ids: right } };
    case "TRUE_FALSE":
      return { options: null, answer: { value: isTrue } };
    case "NUMERIC":
      return {
        options: null,
        answer: {
          ...(value !== undefined && { value }),
          ...(tolerance !== undefined && { tolerance }),
        },
      };
    case "SHORT_ANSWER":
      return { options: null, answer: { texts } };
  }
}

/** Existing options keep their ids. New ones get the first free letter. */
function withIds(options: CorrectAnswerFormState["options"]) {
  const taken = new Set(options.map(({ id }) => id));
  const free = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].filter((letter) => !taken.has(letter));
  return options.map(({ id = free.shift() ?? "", text, isRight }) => ({ id, text, isRight }));
}
