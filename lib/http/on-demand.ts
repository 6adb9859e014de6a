import type { Contract, Endpoint } from "./endpoint.ts";

export type EndpointOnDemand = {
  contract: Pick<Contract, "method" | "path">;
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
