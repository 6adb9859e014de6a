-- Maintains the course's rating on write: courses are read far more often than reviewed.
--
-- Locks: the review, then the rating of its course, where concurrent reviews wait for each other.

create or replace function add_to_course_rating() returns trigger language plpgsql as $$
declare
  more integer := case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end;
  stars integer := coalesce(new.rating, 0) - coalesce(old.rating, 0);
begin
  insert into course_ratings as kept (course_id, reviews, rating_sum)
  select course_id, more, stars from course_offerings
  where id = coalesce(new.course_offering_id, old.course_offering_id)
  on conflict (course_id) do update
    set reviews = kept.reviews + excluded.reviews, rating_sum = kept.rating_sum + excluded.rating_sum;
  return null;
end $$;

create or replace trigger add_to_course_rating after insert or update of rating or delete on course_reviews
  for each row execute function add_to_course_rating();
