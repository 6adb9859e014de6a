import { dataOf, PlatformError } from "learning-platform-client";
import { apiClient } from "../service.ts";

/** The submission's author. Null if the account is erased or the work is anonymous. */
export async function readSubmissionAuthor(user_id: number | null, signal: AbortSignal) {
  if (user_id === null) return null;
  return dataOf(apiClient.getUser({ params: { path: { user_id } }, signal })).catch((error) => {
    if (error instanceof PlatformError && error.status === 404) return null;
    throw error;
  });
}
