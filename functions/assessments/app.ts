import { group } from "../../lib/http/endpoint.ts";
import {
  getQuizAttempt,
  listMyQuizAttempts,
  listQuizAttempts,
  saveQuizResponses,
  startQuizAttempt,
  submitQuizAttempt,
} from "./attempts.ts";
import {
  createQuestionPool,
  deleteQuestionPool,
  exportQuestionPool,
  exportQuestionPoolAsQti,
  getQuestionPool,
  importQuestions,
  importQuestionsFromQti,
  listQuestionPools,
  readQuestionStatistics,
  updateQuestionPool,
} from "./pools.ts";
import {
  createQuestion,
  deleteQuestion,
  getQuestion,
  listQuestions,
  listQuestionVersions,
  updateQuestion,
} from "./questions.ts";
import { grantQuizOverride, listQuizOverrides, regradeQuiz } from "./quizzes.ts";

export const assessments = group("Assessments", "/assessments", [
  listQuestionPools,
  createQuestionPool,
  getQuestionPool,
  updateQuestionPool,
  deleteQuestionPool,
  listQuestions,
  createQuestion,
  exportQuestionPool,
  importQuestions,
  exportQuestionPoolAsQti,
  importQuestionsFromQti,
  readQuestionStatistics,
  getQuestion,
  updateQuestion,
  deleteQuestion,
  listQuestionVersions,
  startQuizAttempt,
  listQuizAttempts,
  listQuizOverrides,
  grantQuizOverride,
  regradeQuiz,
  listMyQuizAttempts,
  getQuizAttempt,
  saveQuizResponses,
  submitQuizAttempt,
]);
