import type { Schemas } from "learning-platform-client";

type Launched = Schemas["LaunchSession"]["launch"];

/** What the launch of this page said: kept in memory, as its session is. */
let launched: Launched | undefined;

export const keepLaunched = (launch: Launched): void => {
  launched = launch;
};

/** Whether the launch makes whoever reads this staff of the one offering, who have its people and their work alone. */
export const isLaunchedStaff = (): boolean => launched !== undefined && launched.role !== "STUDENT";

/** The module that the launched link leads to. */
export const launchedModule = (): number | null => launched?.module_id ?? null;

/** An LMS's request for links, that the launch came with. */
export const requestForLinks = (): Launched["deep_linking"] => launched?.deep_linking ?? null;
