import bcrypt from "bcryptjs";

export type BcryptTask = { password: string; cost: number } | { password: string; hash: string };

/** The hash, or whether it matches. Blocks the thread for about 100 ms at a time. */
export const runBcrypt = (task: BcryptTask): Promise<string | boolean> =>
  "cost" in task ? bcrypt.hash(task.password, task.cost) : bcrypt.compare(task.password, task.hash);
