/** How a list goes on. */
type Going = { hasMore: boolean; at: string | undefined; next: string | undefined };

/**
 * Some items of a list, for an answer that links to those after them when there are more: by the key of the last one
 * (`next`), else by number. They are read on at `at`, a path below the API prefix, where that is not the request's own.
 */
export class ListPage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly at: string | undefined;
  readonly next: string | undefined;

  constructor(items: readonly Item[], { hasMore = false, at, next }: Partial<Going> = {}) {
    this.items = items;
    this.hasMore = hasMore;
    this.at = at;
    this.next = next;
  }

  /** The same of what is made of each item. */
  map<Other>(change: (item: Item) => Other): ListPage<Other> {
    return new ListPage(this.items.map(change), this);
  }

  /** What is answered with the items in it. */
  within<Body extends object>(body: (items: Item[]) => Body): PageBody<Body> {
    return new PageBody(body([...this.items]), this.next);
  }
}

/** An answer with one list in it, and the key behind which that list goes on, undefined at its end. */
export class PageBody<Body extends object> {
  readonly body: Body;
  readonly next: string | undefined;

  constructor(body: Body, next: string | undefined) {
    this.body = body;
    this.next = next;
  }
}
