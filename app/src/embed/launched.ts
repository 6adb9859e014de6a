import type { Schemas } from "learning-platform-client";

type Launched = Schemas["LaunchSession"]["launch"];

let launched: Launched | undefined;

export const rememberLtiLaunch = (launch: Launched): void => {
  launched = launch;
};

/** Whether the launch gives staff rights in the one offering only. */
export const isStaffByLtiLaunch = (): boolean => launched !== undefined && launched.role !== "STUDENT";

export const getLaunchedModuleId = (): number | null => launched?.module_id ?? null;

/** The LMS's deep linking request, if there is one. */
export const getDeepLinkingRequest = (): Launched["deep_linking"] => launched?.deep_linking ?? null;
