import { dataOf } from "learning-platform-client";
import { formatDay, formatFractionAsPercent } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { AdministrationScreenName } from "./menu-entries.ts";

export type UniversityProblem = { text: string; part: AdministrationScreenName };

/** The share of the month's tokens from which the budget is a problem. */
const nearlyUsed = 0.8;

/** What an administrator of the university should look at: the latest failure of each kind. */
export async function fetchUniversityProblems(
  university_id: number,
  signal: AbortSignal,
): Promise<UniversityProblem[]> {
  const path = { university_id };
  const latest = { limit: 1 };
  const [imports, requests, budget, expired] = await Promise.all([
    dataOf(apiClient.listImports({ params: { path, query: latest }, signal })),
    dataOf(
      apiClient.listDirectoryRequests({ params: { path, query: { ...latest, is_refused: true } }, signal }),
    ),
    dataOf(apiClient.getTutorBudget({ params: { path }, signal })),
    dataOf(apiClient.listInvitations({ params: { path, query: { ...latest, status: "EXPIRED" } }, signal })),
  ]);
  const most = budget.in_force.tokens_per_month;
  const used = most === null ? 0 : most === 0 ? 1 : budget.tokens_this_month / most;
  return [
    ...imports
      .filter(({ refused, dry_run }) => refused > 0 && !dry_run)
      .map(
        ({ refused: n, created_at }): UniversityProblem => ({
          text: t("problem.import", { n, day: formatDay(created_at) }),
          part: "imports",
        }),
      ),
    ...requests.map(
      ({ asked_at }): UniversityProblem => ({
        text: t("problem.directory", { day: formatDay(asked_at) }),
        part: "directory",
      }),
    ),
    ...(used < nearlyUsed
      ? []
      : [{ text: t("problem.budget", { percent: formatFractionAsPercent(used) }), part: "tutor" } as const]),
    ...expired.map(
      ({ email }): UniversityProblem => ({
        text: t("problem.invitation", { email }),
        part: "invitations",
      }),
    ),
  ];
}
