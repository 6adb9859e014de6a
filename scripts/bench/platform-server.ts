/** The service as `npm run dev` serves it, on a database that is there already. Run as a process of its own. */
import { startPlatform } from "../local/platform.ts";

const platform = await startPlatform({ port: 0, accessLog: process.env["ACCESS_LOG"] === "true" });
process.send?.({ url: platform.base, secretKey: platform.config.SECRET_KEY });
process.once("disconnect", async () => {
  await platform.stop();
  process.exit(0);
});
