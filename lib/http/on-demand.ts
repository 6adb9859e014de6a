import type { Contract, Endpoint } from "./endpoint.ts";

/** An endpoint whose module is not loaded yet. */
export type EndpointOnDemand = {
  contract: Pick<Contract, "method" | "path">;
  /** Loads the endpoint on its first request. */
  load: () => Promise<Endpoint>;
};

/** Replaces endpoints in packages: see `operationsOnDemand` in esbuild-plugins.mjs. */
export function onDemand(
  contract: EndpointOnDemand["contract"],
  load: () => Promise<Endpoint>,
): EndpointOnDemand {
  let loading: Promise<Endpoint> | undefined;
  return {
    contract,
    load: () => {
      loading ??= load();
      return loading;
    },
  };
}
