type Going = { hasMore: boolean; at: string | undefined; next: string | undefined };

/**
 * Links to the next page by the last item's key (`next`), otherwise by number. `at` is its path below the API
 * prefix, if not the request's.
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

  map<Other>(change: (item: Item) => Other): ListPage<Other> {
    return new ListPage(this.items.map(change), this);
  }

  within<Body extends object>(body: (items: Item[]) => Body): PageBody<Body> {
    return new PageBody(body([...this.items]), this.next);
  }
}

/** `next` is the key of the next page, undefined at the end. */
export class PageBody<Body extends object> {
  readonly body: Body;
  readonly next: string | undefined;

  constructor(body: Body, next: string | undefined) {
    this.body = body;
    this.next = next;
  }
}
