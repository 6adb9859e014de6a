import { ToolFailure } from "../clients/toolchain.ts";

// biome-ignore lint/suspicious/noExplicitAny: what it is the service says, and each step knows
export type AnyJson = any;

/** The API as one user. */
export const createApiCaller =
  (base: string, token?: string) =>
  async (method: string, where: string, body?: object, cookie?: string): Promise<AnyJson> => {
    const response = await fetch(`${base}/api/v1${where}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(cookie && { Cookie: cookie }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ToolFailure(`${method} ${where} answered ${response.status}: ${text}`);
    return text ? JSON.parse(text) : undefined;
  };

export type ApiCaller = ReturnType<typeof createApiCaller>;

export const signInApiCaller = async (base: string, account: object): Promise<ApiCaller> =>
  createApiCaller(base, (await createApiCaller(base)("POST", "/auth/login", account)).access_token);

/** An offering of that university in which the learner has a seat. */
export async function findOfferingOfLearner(learner: ApiCaller, university: number): Promise<AnyJson> {
  const taken = await learner("GET", "/enrollments/my-enrollments");
  const isTaken = ({ id }: AnyJson) =>
    taken.some((one: AnyJson) => one.course_offering_id === id && one.status === "ACTIVE");
  return (await learner("GET", `/offerings?university_id=${university}`)).find(isTaken);
}

/** A learner's score of an item in the gradebook; undefined without one. */
export async function readGradebookScore(
  teacher: ApiCaller,
  offering: AnyJson,
  item: AnyJson,
  learner: AnyJson,
): Promise<unknown> {
  const { columns, rows } = await teacher("GET", `/assessments/offerings/${offering.id}/gradebook`);
  const column = columns.findIndex((one: AnyJson) => one.content_item_id === item.id);
  return rows.find((row: AnyJson) => row.user_id === learner.id)?.cells[column]?.score;
}

export const printStep = (step: string, what: string) => console.log(`${step.padEnd(14)} ${what}`);
