import * as z from "zod";

export const Health = z
  .object({ status: z.literal("ok") })
  .meta({ id: "Health", description: "All is well; anything else is an error" });
export type Health = z.infer<typeof Health>;
