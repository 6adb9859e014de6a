import * as z from "zod";

export const Health = z
  .object({ status: z.literal("ok") })
  .meta({ id: "Health", description: "Always the same value; otherwise the response is an error" });
export type Health = z.infer<typeof Health>;
