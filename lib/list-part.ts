/**
 * Some items of a list, for an answer that links to those after them when there are more. They are read on at `at`,
 * a path below the API prefix, where that is not the request's own.
 */
export class ListPart<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly at: string | undefined;

  constructor(items: readonly Item[], { hasMore = false, at }: { hasMore?: boolean; at?: string } = {}) {
    this.items = items;
    this.hasMore = hasMore;
    this.at = at;
  }
}
