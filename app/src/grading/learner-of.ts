import { dataOf, PlatformError } from "learning-platform-client";
import { api } from "../service.ts";

/** Whose work it is; null for an account that is erased. */
export const learnerOf = (user_id: number, signal: AbortSignal) =>
  dataOf(api.getUser({ params: { path: { user_id } }, signal })).catch((error) => {
    if (error instanceof PlatformError && error.status === 404) return null;
    throw error;
  });
