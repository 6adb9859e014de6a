/** What was to be created and is there already: answered with 200 in place of 201. */
export class Existing<Body extends object> {
  readonly status = 200;
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}
