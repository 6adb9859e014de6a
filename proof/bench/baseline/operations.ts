import { type ClassroomIds, measuredSignInAccount, referencingPromptName } from "./classroom.ts";

/** A measured request, and its goal against the baseline. */
export type BenchmarkedOperation = {
  name: string;
  /** Numbers of concurrent clients; goals apply to all but the first. */
  crowds: readonly number[];
  /** Minimum share of the baseline's requests per second. */
  goal: number;
  /** That learner's request; `token` is theirs. */
  request(learner: number): { method: "GET" | "POST"; path: string; body?: object };
  /** Whether both servers must return equal bodies, or only the same shape. */
  alike: boolean;
  /** Sent by the platform's administrator. */
  asAdmin?: boolean;
};

const defaultCrowdSizes = [1, 16, 64];

export function buildBenchmarkedOperations({
  learners,
  course_id,
  offering_id,
  content_item_id,
}: ClassroomIds): BenchmarkedOperation[] {
  const reading = (name: string, path: string, goal = 0.5): BenchmarkedOperation => ({
    name,
    crowds: defaultCrowdSizes,
    goal,
    alike: true,
    request: () => ({ method: "GET", path }),
  });
  const progress = { course_offering_id: offering_id, content_item_id, progress_percent: 40 };
  return [
    reading("users/me", "/users/me"),
    reading("courses?limit=100", "/courses/?limit=100"),
    reading("modules of a course (200)", `/modules/courses/${course_id}/modules`),
    reading("my-enrollments (50)", "/enrollments/my-enrollments?limit=50"),
    {
      name: "progress/content",
      crowds: defaultCrowdSizes,
      goal: 0.4,
      alike: false,
      request: () => ({ method: "POST", path: "/progress/content", body: progress }),
    },
    {
      ...reading("prompt with 3 references", `/prompts/${encodeURIComponent(referencingPromptName)}`),
      asAdmin: true,
    },
    {
      name: "stored answer, 40 chunks",
      crowds: defaultCrowdSizes,
      goal: 0.75,
      alike: false,
      request: (learner) => ({
        method: "POST",
        path: `/chat/sessions/${learners[learner % learners.length]?.session_id}/messages`,
        body: { content: "Start." },
      }),
    },
    {
      name: "login (cost 12)",
      crowds: [1, 4],
      goal: 0.95,
      alike: false,
      request: () => ({ method: "POST", path: "/auth/login", body: measuredSignInAccount }),
    },
  ];
}
