import type { Contract, Endpoint } from "./endpoint.ts";

/** An endpoint of which the process has read no more than where it is. */
export type EndpointOnDemand = {
  contract: Pick<Contract, "method" | "path">;
  /** The whole endpoint, read with the first request for it. */
  load: () => Promise<Endpoint>;
};

/** What a package has in place of an endpoint: see `operationsOnDemand` in esbuild-plugins.mjs. */
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
