import { dataOf, PlatformError } from "learning-platform-client";
import { api } from "../service.ts";

/** Whose work it is; null for an account that is erased, and while it is graded anonymously. */
export async function learnerOf(user_id: number | null, signal: AbortSignal) {
  if (user_id === null) return null;
  return dataOf(api.getUser({ params: { path: { user_id } }, signal })).catch((error) => {
    if (error instanceof PlatformError && error.status === 404) return null;
    throw error;
  });
}
