import * as z from "zod";

/** Input of the main job: the service, the account, and the course. */
export type LearnerScenarioInput = { base: string; email: string; password: string; course: string };

export const learnerScenarioArguments = ({ base, email, password, course }: LearnerScenarioInput) => [
  base,
  email,
  password,
  course,
];

/** Output of each program after signing in, enrolling, asking the tutor and reading progress. */
const Facts = z.object({
  courses: z.number().min(1),
  enrollment: z.literal("ACTIVE"),
  words: z.number().min(20),
  ended: z.literal(true),
  question: z.string().min(1),
  progress: z.literal(50),
  missing: z.literal("Course not found"),
});

/** Throws if a program's last line is not the expected result. */
export function expectLearnerScenarioOutput(printed: string): void {
  const last = printed.trim().split("\n").at(-1) ?? "";
  const facts = Facts.safeParse(JSON.parse(last));
  if (!facts.success) throw new Error(`The task failed: ${last}\n${z.prettifyError(facts.error)}`);
}

/** Registers a new learner, so every program can enroll. */
export async function registerLearnerForScenario(
  base: string,
  name: string,
  course: string,
): Promise<LearnerScenarioInput> {
  const email = `${name.toLowerCase()}.${crypto.randomUUID().slice(0, 8)}@example.edu`;
  const password = "learn together";
  const response = await fetch(`${base}/api/v1/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password, full_name: name }),
  });
  if (!response.ok) throw new Error(`Registering returned ${response.status}: ${await response.text()}`);
  return { base, email, password, course };
}
