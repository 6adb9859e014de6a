import type { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";
import type { Facts } from "./report.ts";
import { questions, type Topic } from "./topic.ts";

type Attempt = {
  id: number;
  passed: boolean | null;
  score_obtained: number | null;
  questions: { question_id: number; question_text: string; result: unknown }[];
};

/** Takes the quiz with that many correct answers, saved one by one, and checks the score. */
export async function takeQuiz(
  learner: Browser,
  { offeringId, quizItemId }: Topic,
  rightAnswers: number,
): Promise<Facts> {
  const started = await learner.send(
    "POST",
    `/assessments/offerings/${offeringId}/quizzes/${quizItemId}/attempts`,
  );
  expect(
    started.status === 201,
    `starting the quiz answered ${started.status}: ${JSON.stringify(started.body)}`,
  );
  const attempt = started.body as Attempt;
  expect(!JSON.stringify(attempt).includes("Fourier"), "the quiz reveals its answers before the attempt");
  for (const question of attempt.questions.slice(0, rightAnswers)) {
    const responses = [{ question_id: question.question_id, response: answerTo(question.question_text) }];
    const saved = await learner.send("PUT", `/assessments/attempts/${attempt.id}/responses`, { responses });
    expect(saved.status === 200, `saving an answer answered ${saved.status}: ${JSON.stringify(saved.body)}`);
  }
  const submitted = await learner.send("POST", `/assessments/attempts/${attempt.id}/submit`, {});
  const { passed, score_obtained } = submitted.body as Attempt;
  expect(score_obtained === rightAnswers, `${rightAnswers} right answers are worth ${score_obtained}`);
  expect(passed === (rightAnswers === questions.length), `the attempt is ${passed ? "" : "not "}passed`);
  return submitted;
}

function answerTo(text: string): unknown {
  const { answer } = questions.find(({ question_text }) => question_text === text) ?? {};
  return answer?.option_id ?? answer?.value ?? answer?.texts?.[0];
}

/** The learner's certificate for the offering, issued automatically. */
export async function earnedCertificate(
  learner: Browser,
  { offeringId }: Topic,
): Promise<Facts & { certificateCode: string }> {
  const enrolled = await learner.send("GET", "/enrollments/my-enrollments");
  const standing = (enrolled.body as { course_offering_id: number; completion_source: string }[]).find(
    (one) => one.course_offering_id === offeringId,
  );
  expect(standing?.completion_source === "RESULT", "the course is not completed by its results");
  const listed = await learner.send("GET", "/assessments/certificates/mine");
  const [certificate] = listed.body as { course_offering_id: number; certificate_code: string }[];
  expect(certificate?.course_offering_id === offeringId, "there is no certificate for the course");
  return { ...listed, certificateCode: certificate.certificate_code };
}

/** Verifies a certificate anonymously. */
export async function verify(anyone: Browser, code: string, name: string): Promise<Facts> {
  const told = await anyone.send("GET", `/assessments/certificates/verify/${code}`);
  const { state, printed_name } = told.body as { state: string; printed_name: string };
  expect(state === "VALID" && printed_name === name, `the certificate returned ${JSON.stringify(told.body)}`);
  return told;
}
