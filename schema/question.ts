/** A multiple-choice question of the tutor, as its answer holds it and as it is sent. */
export type Question = {
  questionId: string;
  question: string;
  options: { id: string; text: string }[];
};
