/** A resource to create existed already: 200 instead of 201. */
export class ExistingResult<Body extends object> {
  readonly status = 200;
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}
