/** A multiple-choice question of the tutor, as its answer holds it and as it is sent. */
export type Question = {
  questionId: string;
  question: string;
  options: { id: string; text: string }[];
};

/** Which of a question's options is right, what whoever takes a wrong one may believe, and the skill that it asks for. */
export type QuestionKey = {
  answer: string;
  misconceptions: { id: string; text: string }[];
  skill: string | null;
  /** Why the option is right; absent in older keys. */
  because?: string;
};
