create or replace function clock_offset() returns interval language sql stable parallel safe as $$
  select case when current_setting('service.clock_offset', true) <> ''
    then current_setting('service.clock_offset')::interval else interval '0' end
$$;--> statement-breakpoint
-- An index on it finds the quizzes of a pool, so the body is bound at creation.
create or replace function pool_of_quiz(data jsonb) returns integer language sql immutable parallel safe
  return case when jsonb_typeof(data -> 'question_pool_id') = 'number' then
    case when (data -> 'question_pool_id')::numeric between 1 and 2147483647
         then (data -> 'question_pool_id')::numeric::integer end end;--> statement-breakpoint
-- The id of the writing transaction. The feed reads up to the lowest open transaction
-- (lib/integrations/event-feed/cursor.ts) and misses nothing: later transactions have greater ids.
create or replace function current_transaction_number() returns bigint language sql volatile as $$
  select pg_current_xact_id()::text::bigint
$$;--> statement-breakpoint
-- The transaction's start time.
create or replace function service_now() returns timestamptz language sql stable parallel safe as $$
  select now() + clock_offset()
$$;--> statement-breakpoint
create or replace function sha256_hex(content text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  return encode(sha256(convert_to(content, 'UTF8')), 'hex');
end $$;--> statement-breakpoint
-- Lower case without accents: "Søren MÜLLER" is "soren muller".
create or replace function folded(said text) returns text language sql immutable parallel safe
  return translate(
    lower(normalize(regexp_replace(normalize(said, nfd), '[\u0300-\u036f]', '', 'g'), nfc)), 'øłđħıß', 'oldhis');--> statement-breakpoint
-- The folded words of a text, with single spaces between and one in front: " ee 101 signals".
create or replace function searched(said text) returns text language sql immutable parallel safe
  return regexp_replace(' ' || folded(said), '[\s!-/:-@\[-`{-~´’]+', ' ', 'g');--> statement-breakpoint
-- Null without a message. Two generated columns use this function: its result must never change.
create or replace function node_key(
  content_item_id integer, parent_id bigint, message text, prompt_name text, prompt_version integer, model text,
  prompt_fingerprint text, content_fingerprint text
) returns bytea language plpgsql immutable parallel safe as $$
begin
  -- Fingerprints have no blanks; other texts are quoted or last. Two addresses therefore never give the same text.
  return sha256(convert_to(
    content_item_id || ' ' || coalesce(parent_id, 0) || ' ' || prompt_version || ' ' || prompt_fingerprint || ' '
    || content_fingerprint || ' ' || quote_literal(prompt_name) || ' ' || quote_literal(model) || ' ' || message, 'UTF8'));
end $$;--> statement-breakpoint
-- In plpgsql because each message calls it: SQL functions take longer to start than to run.
create or replace function joined_text(chunks jsonb) returns text language plpgsql immutable as $$
begin
  return array_to_string(array(select jsonb_array_elements_text(chunks)), '');
end $$;--> statement-breakpoint
-- Trigram indexes for substring search.
create extension if not exists pg_trgm;--> statement-breakpoint
CREATE TABLE "anonymous_codes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "anonymous_codes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"code" varchar(8) NOT NULL,
	CONSTRAINT "anonymous_codes_person_unique" UNIQUE("course_offering_id","content_item_id","user_id"),
	CONSTRAINT "anonymous_codes_unique" UNIQUE("course_offering_id","content_item_id","code")
);--> statement-breakpoint
CREATE TABLE "auto_grader_readers" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "auto_grader_readers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"secret_version" integer NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	"request_id" varchar(128),
	CONSTRAINT "auto_grader_readers_person_unique" UNIQUE("course_offering_id","content_item_id","user_id")
);--> statement-breakpoint
CREATE TABLE "auto_graders" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "auto_graders_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"secret_version" integer NOT NULL,
	"renewed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auto_graders_item_unique" UNIQUE("course_offering_id","content_item_id")
);--> statement-breakpoint
CREATE TABLE "certificate_settings" (
	"course_offering_id" integer PRIMARY KEY NOT NULL,
	"issuance" text DEFAULT 'automatic' NOT NULL,
	"valid_for_days" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "certificate_settings_issuance_check" CHECK ("certificate_settings"."issuance" in ('automatic', 'by_staff'))
);--> statement-breakpoint
CREATE TABLE "certificates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "certificates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer,
	"course_offering_id" integer NOT NULL,
	"certificate_code" varchar(64) NOT NULL,
	"printed_name" varchar(255) NOT NULL,
	"course_title" varchar(255) NOT NULL,
	"university_name" varchar(255) NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"revocation_reason" text,
	"replaced_at" timestamp (3) with time zone,
	"replaces_id" integer,
	"metadata_json" jsonb,
	CONSTRAINT "certificates_certificate_code_unique" UNIQUE("certificate_code"),
	CONSTRAINT "certificates_revocation_check" CHECK (("certificates"."revoked_at" is null) = ("certificates"."revocation_reason" is null))
);--> statement-breakpoint
CREATE TABLE "course_grades" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_grades_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"score_override" numeric(6, 2),
	"version" integer DEFAULT 0 NOT NULL,
	"final_score" numeric(6, 2),
	"letter_grade" varchar(8),
	"passed" boolean,
	"graded_at" timestamp (3) with time zone,
	"outdated_at" timestamp (3) with time zone,
	"university_id" integer,
	"change_number" bigint,
	CONSTRAINT "course_grades_user_id_course_offering_id_unique" UNIQUE("user_id","course_offering_id")
);--> statement-breakpoint
CREATE TABLE "grade_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "grade_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"content_item_id" integer,
	"kind" text NOT NULL,
	"changed_by_user_id" integer,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"former_json" jsonb,
	"current_json" jsonb,
	"reason" text,
	CONSTRAINT "grade_changes_kind_check" CHECK ("grade_changes"."kind" in ('submission_graded', 'submission_returned', 'quiz_regraded', 'item_set', 'points_changed', 'course_set', 'finalized', 'reopened'))
);--> statement-breakpoint
CREATE TABLE "grade_releases" (
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"released_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "grade_releases_course_offering_id_content_item_id_pk" PRIMARY KEY("course_offering_id","content_item_id")
);--> statement-breakpoint
CREATE TABLE "grading_schemes" (
	"course_offering_id" integer PRIMARY KEY NOT NULL,
	"letter_scale" jsonb NOT NULL,
	"passing_percent" numeric(5, 2) NOT NULL,
	"groups" jsonb NOT NULL,
	"release_mode" text NOT NULL,
	"drop_lowest" integer DEFAULT 0 NOT NULL,
	"late_percent_per_day" numeric(5, 2),
	"max_late_days" integer,
	"version" integer GENERATED BY DEFAULT AS IDENTITY (sequence name "grading_schemes_version_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "grading_schemes_release_mode_check" CHECK ("grading_schemes"."release_mode" in ('automatic', 'manual'))
);--> statement-breakpoint
CREATE TABLE "item_grades" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "item_grades_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"score_override" numeric(6, 2),
	"is_excused" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "item_grades_person_unique" UNIQUE("course_offering_id","content_item_id","user_id")
);--> statement-breakpoint
CREATE TABLE "lab_submissions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lab_submissions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"attempt_number" integer DEFAULT 1 NOT NULL,
	"submitted_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"due_at" timestamp (3) with time zone,
	"is_late" boolean DEFAULT false NOT NULL,
	"body" text,
	"links" text[] DEFAULT '{}' NOT NULL,
	"data_json" jsonb,
	"artifacts_url" varchar(1024),
	"group_id" integer,
	"group_work" uuid,
	"graded_alone" boolean DEFAULT false NOT NULL,
	"status" text DEFAULT 'submitted' NOT NULL,
	"claimed_by_user_id" integer,
	"claimed_until" timestamp (3) with time zone,
	"score_obtained" numeric(6, 2),
	"max_score" numeric(6, 2),
	"grade_version" integer DEFAULT 0 NOT NULL,
	"grade_source" text,
	"graded_at" timestamp (3) with time zone,
	"graded_by_user_id" integer,
	"instructor_feedback" text,
	"rubric" jsonb,
	"returned_at" timestamp (3) with time zone,
	"auto_grade_json" jsonb,
	"auto_graded_at" timestamp (3) with time zone,
	CONSTRAINT "lab_submissions_attempt_number_unique" UNIQUE("user_id","course_offering_id","content_item_id","attempt_number"),
	CONSTRAINT "lab_submissions_status_check" CHECK ("lab_submissions"."status" in ('submitted', 'graded', 'returned')),
	CONSTRAINT "lab_submissions_grade_source_check" CHECK ("lab_submissions"."grade_source" in ('hand', 'auto'))
);--> statement-breakpoint
CREATE TABLE "question_pools" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "question_pools_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"course_id" integer,
	"title" text NOT NULL,
	"description" text,
	"search_text" text GENERATED ALWAYS AS (searched(title)) STORED,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "question_versions" (
	"question_id" integer NOT NULL,
	"version" integer NOT NULL,
	"kind" text NOT NULL,
	"question_text" text NOT NULL,
	"options_json" jsonb,
	"answer_json" jsonb NOT NULL,
	"explanation" text,
	"points" numeric(6, 2) DEFAULT 1 NOT NULL,
	"scoring" text DEFAULT 'all_or_nothing' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "question_versions_question_id_version_pk" PRIMARY KEY("question_id","version"),
	CONSTRAINT "question_versions_kind_check" CHECK ("question_versions"."kind" in ('single_choice', 'multiple_choice', 'true_false', 'short_answer', 'numeric')),
	CONSTRAINT "question_versions_scoring_check" CHECK ("question_versions"."scoring" in ('all_or_nothing', 'partial'))
);--> statement-breakpoint
CREATE TABLE "questions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "questions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"question_pool_id" integer NOT NULL,
	"kind" text NOT NULL,
	"question_text" text NOT NULL,
	"options_json" jsonb,
	"answer_json" jsonb NOT NULL,
	"explanation" text,
	"points" numeric(6, 2) DEFAULT 1 NOT NULL,
	"scoring" text DEFAULT 'all_or_nothing' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"search_text" text GENERATED ALWAYS AS (searched(question_text)) STORED,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "questions_kind_check" CHECK ("questions"."kind" in ('single_choice', 'multiple_choice', 'true_false', 'short_answer', 'numeric')),
	CONSTRAINT "questions_scoring_check" CHECK ("questions"."scoring" in ('all_or_nothing', 'partial'))
);--> statement-breakpoint
CREATE TABLE "quiz_attempt_questions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quiz_attempt_questions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"quiz_attempt_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"question_id" integer NOT NULL,
	"version" integer NOT NULL,
	"option_ids" text[],
	"graded_version" integer NOT NULL,
	"points_earned" numeric(6, 2),
	CONSTRAINT "quiz_attempt_questions_question_unique" UNIQUE("quiz_attempt_id","question_id"),
	CONSTRAINT "quiz_attempt_questions_position_unique" UNIQUE("quiz_attempt_id","position")
);--> statement-breakpoint
CREATE TABLE "quiz_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quiz_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"attempt_number" integer DEFAULT 1 NOT NULL,
	"is_exam" boolean DEFAULT false NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"due_at" timestamp (3) with time zone,
	"saved_at" timestamp (3) with time zone,
	"submitted_at" timestamp (3) with time zone,
	"timed_out" boolean DEFAULT false NOT NULL,
	"awaits_grading" boolean DEFAULT false NOT NULL,
	"score_obtained" numeric(6, 2),
	"max_score" numeric(6, 2),
	"grade_version" integer DEFAULT 0 NOT NULL,
	"passing_percent" numeric(5, 2),
	"correct_in_row" integer,
	"passed" boolean,
	"raw_response_json" jsonb,
	CONSTRAINT "quiz_attempts_attempt_number_unique" UNIQUE("user_id","course_offering_id","content_item_id","attempt_number")
);--> statement-breakpoint
CREATE TABLE "quiz_overrides" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quiz_overrides_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"time_limit_seconds" integer,
	"max_attempts" integer,
	"available_from" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "quiz_overrides_person_unique" UNIQUE("course_offering_id","content_item_id","user_id")
);--> statement-breakpoint
CREATE TABLE "thrown_out_questions" (
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"question_id" integer NOT NULL,
	"credit" text NOT NULL,
	"reason" text NOT NULL,
	"thrown_out_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "thrown_out_questions_course_offering_id_content_item_id_question_id_pk" PRIMARY KEY("course_offering_id","content_item_id","question_id"),
	CONSTRAINT "thrown_out_questions_credit_check" CHECK ("thrown_out_questions"."credit" in ('full_points', 'no_points'))
);--> statement-breakpoint
CREATE TABLE "submission_marks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "submission_marks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"submission_id" bigint NOT NULL,
	"place" integer NOT NULL,
	"grader_id" integer,
	"score" numeric(6, 2) NOT NULL,
	"rubric" jsonb,
	"feedback" text,
	"marked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "submission_marks_grader_unique" UNIQUE("submission_id","grader_id"),
	CONSTRAINT "submission_marks_place_unique" UNIQUE("submission_id","place"),
	CONSTRAINT "submission_marks_place_check" CHECK ("submission_marks"."place" in (1, 2))
);--> statement-breakpoint
CREATE TABLE "discussion_posts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "discussion_posts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"thread_id" integer NOT NULL,
	"parent_post_id" bigint,
	"depth" integer DEFAULT 0 NOT NULL,
	"user_id" integer,
	"body" text NOT NULL,
	"is_deleted" boolean DEFAULT false NOT NULL,
	"is_hidden" boolean DEFAULT false NOT NULL,
	"search" "tsvector" DEFAULT ''::tsvector NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "discussion_posts_thread_id_id_unique" UNIQUE("thread_id","id"),
	CONSTRAINT "discussion_posts_depth_check" CHECK ("discussion_posts"."depth" between 0 and 8)
);--> statement-breakpoint
CREATE TABLE "discussion_reports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "discussion_reports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"post_id" bigint,
	"review_id" bigint,
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"outcome" text,
	"resolved_at" timestamp (3) with time zone,
	CONSTRAINT "discussion_reports_post_id_user_id_unique" UNIQUE("post_id","user_id"),
	CONSTRAINT "discussion_reports_review_id_user_id_unique" UNIQUE("review_id","user_id"),
	CONSTRAINT "discussion_reports_subject_check" CHECK (num_nonnulls("discussion_reports"."post_id", "discussion_reports"."review_id") = 1),
	CONSTRAINT "discussion_reports_outcome_check" CHECK ("discussion_reports"."outcome" in ('hidden', 'kept'))
);--> statement-breakpoint
CREATE TABLE "discussion_threads" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "discussion_threads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"module_id" integer,
	"content_item_id" integer,
	"created_by_user_id" integer,
	"title" varchar(255),
	"learner_user_id" integer,
	"visible" text DEFAULT 'class' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"is_locked" boolean DEFAULT false NOT NULL,
	"is_pinned" boolean DEFAULT false NOT NULL,
	"answer_post_id" bigint,
	"post_count" integer DEFAULT 0 NOT NULL,
	"last_post_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "discussion_threads_visible_check" CHECK ("discussion_threads"."visible" in ('class', 'staff')),
	CONSTRAINT "discussion_threads_learner_check" CHECK ("discussion_threads"."learner_user_id" is null or ("discussion_threads"."visible" = 'staff' and "discussion_threads"."learner_user_id" <> "discussion_threads"."created_by_user_id"))
);--> statement-breakpoint
CREATE TABLE "tutor_handovers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tutor_handovers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"thread_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"session_id" bigint,
	"node_id" bigint,
	"excerpt" jsonb NOT NULL,
	CONSTRAINT "tutor_handovers_thread_id_unique" UNIQUE("thread_id")
);--> statement-breakpoint
CREATE TABLE "flashcard_decks" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flashcard_decks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"title" varchar(255) NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "flashcard_decks_user_id_title_unique" UNIQUE("user_id","title"),
	CONSTRAINT "flashcard_decks_id_user_id_unique" UNIQUE("id","user_id")
);--> statement-breakpoint
CREATE TABLE "flashcard_reviews" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flashcard_reviews_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"flashcard_id" integer NOT NULL,
	"rating" text NOT NULL,
	"state" text DEFAULT 'new' NOT NULL,
	"due" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"stability" double precision DEFAULT 0 NOT NULL,
	"difficulty" double precision DEFAULT 0 NOT NULL,
	"elapsed_days" integer DEFAULT 0 NOT NULL,
	"scheduled_days" integer DEFAULT 0 NOT NULL,
	"learning_steps" integer DEFAULT 0 NOT NULL,
	"reviewed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "flashcard_reviews_rating_check" CHECK ("flashcard_reviews"."rating" in ('again', 'hard', 'good', 'easy')),
	CONSTRAINT "flashcard_reviews_state_check" CHECK ("flashcard_reviews"."state" in ('new', 'learning', 'review', 'relearning'))
);--> statement-breakpoint
CREATE TABLE "flashcards" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flashcards_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"deck_id" integer,
	"content_item_id" integer,
	"message_id" bigint,
	"question_hash" varchar(64),
	"front" text NOT NULL,
	"back" text NOT NULL,
	"state" text DEFAULT 'new' NOT NULL,
	"due" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"stability" double precision DEFAULT 0 NOT NULL,
	"difficulty" double precision DEFAULT 0 NOT NULL,
	"elapsed_days" integer DEFAULT 0 NOT NULL,
	"scheduled_days" integer DEFAULT 0 NOT NULL,
	"learning_steps" integer DEFAULT 0 NOT NULL,
	"reps" integer DEFAULT 0 NOT NULL,
	"lapses" integer DEFAULT 0 NOT NULL,
	"last_review" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "flashcards_state_check" CHECK ("flashcards"."state" in ('new', 'learning', 'review', 'relearning'))
);--> statement-breakpoint
CREATE TABLE "notes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"body" text NOT NULL,
	"anchor" jsonb,
	"language_code" varchar(8) DEFAULT 'en' NOT NULL,
	"search" "tsvector" DEFAULT ''::tsvector NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "course_ratings" (
	"course_id" integer PRIMARY KEY NOT NULL,
	"reviews" integer DEFAULT 0 NOT NULL,
	"rating_sum" integer DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "course_reviews" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_reviews_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"rating" integer NOT NULL,
	"review_text" text,
	"is_hidden" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "course_reviews_user_id_course_offering_id_unique" UNIQUE("user_id","course_offering_id"),
	CONSTRAINT "course_reviews_rating_check" CHECK ("course_reviews"."rating" between 1 and 5)
);--> statement-breakpoint
CREATE TABLE "accommodations" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "accommodations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"time_factor" numeric(3, 2) NOT NULL,
	"extra_days" integer NOT NULL,
	"valid_until" date,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "accommodations_unique" UNIQUE("university_id","user_id"),
	CONSTRAINT "accommodations_time_factor_check" CHECK ("accommodations"."time_factor" between 1 and 3),
	CONSTRAINT "accommodations_extra_days_check" CHECK ("accommodations"."extra_days" between 0 and 365)
);--> statement-breakpoint
CREATE TABLE "university_offices" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "university_offices_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"office_right" text NOT NULL,
	"granted_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "university_offices_unique" UNIQUE("university_id","user_id","office_right"),
	CONSTRAINT "university_offices_office_right_check" CHECK ("university_offices"."office_right" in ('accommodation:write', 'retention:write', 'data-request:write'))
);--> statement-breakpoint
CREATE TABLE "activity_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "activity_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"university_id" integer,
	"verb" varchar(64) NOT NULL,
	"object_type" varchar(64) NOT NULL,
	"object_id" bigint NOT NULL,
	"content_item_id" integer,
	"course_offering_id" integer,
	"occurred_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"change_number" bigint DEFAULT current_transaction_number() NOT NULL
);--> statement-breakpoint
CREATE TABLE "announcement_reads" (
	"announcement_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "announcement_reads_announcement_id_user_id_pk" PRIMARY KEY("announcement_id","user_id")
);--> statement-breakpoint
CREATE TABLE "announcements" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "announcements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"course_offering_id" integer,
	"title" varchar(255) NOT NULL,
	"body" text NOT NULL,
	"created_by_user_id" integer,
	"published_at" timestamp (3) with time zone NOT NULL,
	"told_through" integer DEFAULT 0 NOT NULL,
	"told_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "announcements_told_through_check" CHECK ("announcements"."told_through" >= 0)
);--> statement-breakpoint
CREATE TABLE "assets" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "assets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer,
	"url" varchar(1024) NOT NULL,
	"file_id" bigint,
	"file_name" varchar(255),
	"asset_type" varchar(32) NOT NULL,
	"meta_json" jsonb,
	"search_text" text GENERATED ALWAYS AS (searched(url)) STORED,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "calendar_addresses" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"token_hash" varchar(64) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "calendar_addresses_token_hash_unique" UNIQUE("token_hash")
);--> statement-breakpoint
CREATE TABLE "content_items" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "content_items_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"module_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"content_type_id" integer NOT NULL,
	"title" varchar(255) NOT NULL,
	"description" text,
	"sequence_index" integer DEFAULT 1 NOT NULL,
	"estimated_duration_seconds" integer,
	"data_json" jsonb NOT NULL,
	"tutor_line" text,
	"tutor_mode" text DEFAULT 'immediate' NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"available_from" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"origin_item_id" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "content_items_order_unique" UNIQUE("module_id","sequence_index"),
	CONSTRAINT "content_items_tutor_mode_check" CHECK ("content_items"."tutor_mode" in ('immediate', 'reviewed')),
	CONSTRAINT "content_items_due_at_check" CHECK ("content_items"."due_at" > "content_items"."available_from"),
	CONSTRAINT "content_items_sequence_index_check" CHECK ("content_items"."sequence_index" >= 0)
);--> statement-breakpoint
CREATE TABLE "content_types" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "content_types_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"label" text NOT NULL,
	"description" text,
	"takes_result" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "content_types_name_unique" UNIQUE("name")
);--> statement-breakpoint
CREATE TABLE "course_prerequisites" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_prerequisites_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"prerequisite_course_id" integer NOT NULL,
	"prerequisite_type" text DEFAULT 'strict' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "course_prerequisites_course_id_prerequisite_course_id_unique" UNIQUE("course_id","prerequisite_course_id"),
	CONSTRAINT "course_prerequisites_prerequisite_type_check" CHECK ("course_prerequisites"."prerequisite_type" in ('strict', 'recommended', 'co_requisite')),
	CONSTRAINT "course_prerequisites_not_itself" CHECK ("course_prerequisites"."course_id" <> "course_prerequisites"."prerequisite_course_id")
);--> statement-breakpoint
CREATE TABLE "course_subjects" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_subjects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"subject_id" integer NOT NULL,
	"is_primary" boolean DEFAULT false NOT NULL,
	CONSTRAINT "course_subjects_course_id_subject_id_unique" UNIQUE("course_id","subject_id")
);--> statement-breakpoint
CREATE TABLE "courses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "courses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"department_id" integer,
	"primary_subject_id" integer,
	"title" varchar(255) NOT NULL,
	"code" varchar(128) NOT NULL,
	"description" text,
	"level" text DEFAULT 'undergraduate' NOT NULL,
	"language_code" varchar(8) DEFAULT 'en' NOT NULL,
	"credit_hours" numeric(4, 2),
	"is_published" boolean DEFAULT false NOT NULL,
	"access" text DEFAULT 'open' NOT NULL,
	"cache_enabled" boolean DEFAULT true NOT NULL,
	"llm_model" varchar(128),
	"tutor_line" text,
	"search_text" text GENERATED ALWAYS AS (searched(title || ' ' || code)) STORED,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "courses_university_id_code_unique" UNIQUE("university_id","code"),
	CONSTRAINT "courses_university_id_id_unique" UNIQUE("university_id","id"),
	CONSTRAINT "courses_level_check" CHECK ("courses"."level" in ('undergraduate', 'graduate', 'postgraduate', 'certificate', 'other', 'introductory', 'intermediate', 'advanced')),
	CONSTRAINT "courses_access_check" CHECK ("courses"."access" in ('open', 'enrolled'))
);--> statement-breakpoint
CREATE TABLE "domains" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "domains_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"code" varchar(64) NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "domains_code_unique" UNIQUE("code")
);--> statement-breakpoint
CREATE TABLE "enrollment_progress" (
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"progress_percent" numeric(5, 2) NOT NULL,
	"completed_items" integer NOT NULL,
	CONSTRAINT "enrollment_progress_user_id_course_offering_id_pk" PRIMARY KEY("user_id","course_offering_id")
);--> statement-breakpoint
CREATE TABLE "enrollments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "enrollments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"university_id" integer DEFAULT null NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"enrolled_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"completion_source" text,
	"is_admitted" boolean DEFAULT false NOT NULL,
	"dropped_at" timestamp (3) with time zone,
	"changed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"is_dropped_by_staff" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "enrollments_user_id_course_offering_id_unique" UNIQUE("user_id","course_offering_id"),
	CONSTRAINT "enrollments_status_check" CHECK ("enrollments"."status" in ('active', 'completed', 'dropped', 'pending', 'waitlisted')),
	CONSTRAINT "enrollments_completion_source_check" CHECK ("enrollments"."completion_source" in ('self', 'staff', 'result')),
	CONSTRAINT "enrollments_completion_check" CHECK (("enrollments"."status" = 'completed') = ("enrollments"."completion_source" is not null))
);--> statement-breakpoint
CREATE TABLE "course_exemptions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_exemptions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"prerequisite_course_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"granted_by_user_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "course_exemptions_unique" UNIQUE("course_id","prerequisite_course_id","user_id")
);--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invitations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"email" varchar(255) NOT NULL,
	"role" text,
	"department_id" integer,
	"course_offering_id" integer,
	"teaches" boolean DEFAULT false NOT NULL,
	"course_id" integer,
	"prerequisite_course_id" integer,
	"invited_by_user_id" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"token_hash" varchar(64),
	"mail_id" bigint,
	"accepted_at" timestamp (3) with time zone,
	"accepted_by_user_id" integer,
	"revoked_at" timestamp (3) with time zone,
	"declined_at" timestamp (3) with time zone,
	"source" text DEFAULT 'operation' NOT NULL,
	"overrides" boolean DEFAULT false NOT NULL,
	"sourced_id" varchar(255),
	"search_text" text GENERATED ALWAYS AS (searched(email)) STORED,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "invitations_role_check" CHECK ("invitations"."role" in ('student', 'ta', 'instructor', 'department_admin', 'university_admin', 'platform_admin')),
	CONSTRAINT "invitations_source_check" CHECK ("invitations"."source" in ('operation', 'import', 'directory', 'installation')),
	CONSTRAINT "invitations_offer_check" CHECK ("invitations"."role" is not null or "invitations"."department_id" is null
        and num_nonnulls("invitations"."course_offering_id", "invitations"."course_id") = 1),
	CONSTRAINT "invitations_exemption_check" CHECK (("invitations"."course_id" is null) = ("invitations"."prerequisite_course_id" is null)
        and ("invitations"."course_id" is null or "invitations"."role" is null)),
	CONSTRAINT "invitations_teaches_check" CHECK (not "invitations"."teaches" or "invitations"."course_offering_id" is not null)
);--> statement-breakpoint
CREATE TABLE "module_templates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "module_templates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer,
	"template_type" text NOT NULL,
	"title" varchar(255) NOT NULL,
	"description" text,
	"default_data" jsonb,
	"search_text" text GENERATED ALWAYS AS (searched(title)) STORED,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "module_templates_template_type_check" CHECK ("module_templates"."template_type" in ('course_root', 'unit', 'chapter', 'lesson', 'topic', 'section', 'lab', 'quiz', 'other'))
);--> statement-breakpoint
CREATE TABLE "modules" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "modules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"parent_module_id" integer,
	"module_type" text NOT NULL,
	"module_template_id" integer,
	"title" varchar(255) NOT NULL,
	"description" text,
	"sequence_index" integer DEFAULT 1 NOT NULL,
	"depth" integer DEFAULT 0 NOT NULL,
	"is_published" boolean DEFAULT false NOT NULL,
	"available_from" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"requires_module_ids" integer[] DEFAULT '{}' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "modules_sibling_order_unique" UNIQUE NULLS NOT DISTINCT("course_id","parent_module_id","sequence_index"),
	CONSTRAINT "modules_course_id_id_unique" UNIQUE("course_id","id"),
	CONSTRAINT "modules_module_type_check" CHECK ("modules"."module_type" in ('course_root', 'unit', 'chapter', 'lesson', 'topic', 'section', 'lab', 'quiz', 'other')),
	CONSTRAINT "modules_sequence_index_check" CHECK ("modules"."sequence_index" >= 0),
	CONSTRAINT "modules_depth_check" CHECK ("modules"."depth" >= 0),
	CONSTRAINT "modules_depth_limit" CHECK ("modules"."depth" <= 32),
	CONSTRAINT "modules_due_at_check" CHECK ("modules"."due_at" > "modules"."available_from"),
	CONSTRAINT "modules_not_own_parent" CHECK ("modules"."parent_module_id" <> "modules"."id")
);--> statement-breakpoint
CREATE TABLE "due_reminders" (
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "due_reminders_course_offering_id_content_item_id_due_at_pk" PRIMARY KEY("course_offering_id","content_item_id","due_at")
);--> statement-breakpoint
CREATE TABLE "notification_preferences" (
	"user_id" integer NOT NULL,
	"kind" text NOT NULL,
	"in_app" boolean NOT NULL,
	"mail" text NOT NULL,
	CONSTRAINT "notification_preferences_user_id_kind_pk" PRIMARY KEY("user_id","kind"),
	CONSTRAINT "notification_preferences_kind_check" CHECK ("notification_preferences"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'private_message', 'rollout_stopped', 'tutor_handover')),
	CONSTRAINT "notification_preferences_mail_check" CHECK ("notification_preferences"."mail" in ('off', 'immediate', 'daily'))
);--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notifications_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"kind" text NOT NULL,
	"cause" varchar(128) NOT NULL,
	"course_offering_id" integer,
	"content_item_id" integer,
	"discussion_post_id" bigint,
	"announcement_id" integer,
	"prompt_rollout_id" integer,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"mail_due_at" timestamp (3) with time zone,
	"mail_id" bigint,
	CONSTRAINT "notifications_kind_check" CHECK ("notifications"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'private_message', 'rollout_stopped', 'tutor_handover'))
);--> statement-breakpoint
CREATE TABLE "offering_dates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_dates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"module_id" integer,
	"content_item_id" integer,
	"available_from" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_dates_unique" UNIQUE NULLS NOT DISTINCT("course_offering_id","content_item_id","module_id"),
	CONSTRAINT "offering_dates_of_one" CHECK (num_nonnulls("offering_dates"."module_id", "offering_dates"."content_item_id") = 1),
	CONSTRAINT "offering_dates_say_something" CHECK (num_nonnulls("offering_dates"."available_from", "offering_dates"."due_at") > 0),
	CONSTRAINT "offering_dates_due_at_check" CHECK ("offering_dates"."due_at" > "offering_dates"."available_from")
);--> statement-breakpoint
CREATE TABLE "offering_group_dates" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_group_dates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"group_id" integer NOT NULL,
	"module_id" integer,
	"content_item_id" integer,
	"available_from" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_group_dates_unique" UNIQUE NULLS NOT DISTINCT("group_id","content_item_id","module_id"),
	CONSTRAINT "offering_group_dates_of_one" CHECK (num_nonnulls("offering_group_dates"."module_id", "offering_group_dates"."content_item_id") = 1),
	CONSTRAINT "offering_group_dates_say_something" CHECK (num_nonnulls("offering_group_dates"."available_from", "offering_group_dates"."due_at") > 0),
	CONSTRAINT "offering_group_dates_due_at_check" CHECK ("offering_group_dates"."due_at" > "offering_group_dates"."available_from")
);--> statement-breakpoint
CREATE TABLE "offering_group_members" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_group_members_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"group_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"group_role" text NOT NULL,
	"joined_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_group_members_unique" UNIQUE("group_id","user_id"),
	CONSTRAINT "offering_group_members_group_role_check" CHECK ("offering_group_members"."group_role" in ('member', 'staff'))
);--> statement-breakpoint
CREATE TABLE "offering_groups" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"capacity" integer,
	"self_enrollment" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "offering_groups_unique" UNIQUE("course_offering_id","name"),
	CONSTRAINT "offering_groups_of_offering" UNIQUE("id","course_offering_id"),
	CONSTRAINT "offering_groups_capacity_check" CHECK ("offering_groups"."capacity" > 0)
);--> statement-breakpoint
CREATE TABLE "course_offering_instructors" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_offering_instructors_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "course_offering_instructors_course_offering_id_user_id_unique" UNIQUE("course_offering_id","user_id")
);--> statement-breakpoint
CREATE TABLE "course_offerings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "course_offerings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"term_id" integer,
	"term_name" varchar(255),
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"enrollment_start" timestamp (3) with time zone,
	"enrollment_end" timestamp (3) with time zone,
	"visibility" text DEFAULT 'private' NOT NULL,
	"capacity" integer,
	"enrollment_mode" text DEFAULT 'open' NOT NULL,
	"enrollment_key" varchar(128),
	"completion_rule" text DEFAULT 'all_items' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "course_offerings_id_university_id_unique" UNIQUE("id","university_id"),
	CONSTRAINT "course_offerings_visibility_check" CHECK ("course_offerings"."visibility" in ('private', 'public')),
	CONSTRAINT "course_offerings_enrollment_mode_check" CHECK ("course_offerings"."enrollment_mode" in ('open', 'key', 'staff')),
	CONSTRAINT "course_offerings_completion_rule_check" CHECK ("course_offerings"."completion_rule" in ('all_items', 'manual')),
	CONSTRAINT "course_offerings_enrollment_key_check" CHECK ("course_offerings"."enrollment_mode" <> 'key' or "course_offerings"."enrollment_key" is not null),
	CONSTRAINT "course_offerings_ends_at_check" CHECK ("course_offerings"."ends_at" > "course_offerings"."starts_at"),
	CONSTRAINT "course_offerings_enrollment_end_check" CHECK ("course_offerings"."enrollment_end" > "course_offerings"."enrollment_start"),
	CONSTRAINT "course_offerings_capacity_check" CHECK ("course_offerings"."capacity" >= 1)
);--> statement-breakpoint
CREATE TABLE "course_popularity" (
	"course_id" integer NOT NULL,
	"subject_id" integer,
	"enrollments" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "course_popularity_key" UNIQUE NULLS NOT DISTINCT("course_id","subject_id")
);--> statement-breakpoint
CREATE TABLE "user_content_progress" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_content_progress_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"first_started_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"last_interacted_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"progress_percent" numeric(5, 2) DEFAULT 0 NOT NULL,
	"attempts_count" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "user_content_progress_unique" UNIQUE("user_id","course_offering_id","content_item_id"),
	CONSTRAINT "user_content_progress_percent_check" CHECK ("user_content_progress"."progress_percent" between 0 and 100)
);--> statement-breakpoint
CREATE TABLE "user_module_progress" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_module_progress_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"module_id" integer NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"progress_percent" numeric(5, 2) DEFAULT 0 NOT NULL,
	CONSTRAINT "user_module_progress_unique" UNIQUE("user_id","course_offering_id","module_id"),
	CONSTRAINT "user_module_progress_percent_check" CHECK ("user_module_progress"."progress_percent" between 0 and 100)
);--> statement-breakpoint
CREATE TABLE "subjects" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "subjects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"parent_subject_id" integer,
	"domain_id" integer,
	"name" text NOT NULL,
	"code" varchar(128) NOT NULL,
	"description" text,
	"depth" integer DEFAULT 0 NOT NULL,
	"search_text" text GENERATED ALWAYS AS (searched(name || ' ' || code)) STORED,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "subjects_code_unique" UNIQUE("code"),
	CONSTRAINT "subjects_depth_check" CHECK ("subjects"."depth" >= 0),
	CONSTRAINT "subjects_not_own_parent" CHECK ("subjects"."parent_subject_id" <> "subjects"."id")
);--> statement-breakpoint
CREATE TABLE "terms" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "terms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"starts_on" date NOT NULL,
	"ends_on" date NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "terms_university_id_name_unique" UNIQUE("university_id","name"),
	CONSTRAINT "terms_id_university_id_unique" UNIQUE("id","university_id"),
	CONSTRAINT "terms_ends_on_check" CHECK ("terms"."ends_on" >= "terms"."starts_on")
);--> statement-breakpoint
CREATE TABLE "file_uses" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "file_uses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"file_id" bigint NOT NULL,
	"asset_id" integer,
	"content_item_id" integer,
	"submission_id" bigint,
	"graded_submission_id" bigint,
	"post_id" bigint,
	"course_id" integer,
	"question_id" integer,
	"avatar_user_id" integer,
	"logo_university_id" integer,
	"is_for_staff" boolean DEFAULT false NOT NULL,
	"place" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "file_uses_thing_check" CHECK (num_nonnulls("file_uses"."submission_id", "file_uses"."graded_submission_id", "file_uses"."post_id", "file_uses"."avatar_user_id",
        "file_uses"."course_id", "file_uses"."question_id", "file_uses"."logo_university_id", coalesce("file_uses"."asset_id", "file_uses"."content_item_id")) = 1)
);--> statement-breakpoint
CREATE TABLE "file_texts" (
	"object_id" bigint PRIMARY KEY NOT NULL,
	"content" text,
	"characters" integer,
	"read_at" timestamp (3) with time zone,
	"leased_until" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "file_usage" (
	"university_id" integer PRIMARY KEY NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "files" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "files_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"object_id" bigint,
	"purpose" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"refusal" text,
	"name" varchar(255) NOT NULL,
	"media_type" varchar(255) NOT NULL,
	"size" bigint NOT NULL,
	"sha256" varchar(64),
	"promised_sha256" varchar(64),
	"university_id" integer,
	"course_id" integer,
	"course_offering_id" integer,
	"content_item_id" integer,
	"submission_id" bigint,
	"uploaded_by_user_id" integer,
	"upload_key" varchar(128),
	"multipart_id" text,
	"part_size" bigint,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"loose_since" timestamp (3) with time zone DEFAULT service_now(),
	"leased_until" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"erased_at" timestamp (3) with time zone,
	CONSTRAINT "files_purpose_check" CHECK ("files"."purpose" in ('asset', 'submission', 'feedback', 'post', 'avatar', 'logo', 'import')),
	CONSTRAINT "files_state_check" CHECK ("files"."state" in ('pending', 'checking', 'ready', 'refused')),
	CONSTRAINT "files_bytes_check" CHECK (("files"."object_id" is not null) = ("files"."state" in ('checking', 'ready') and "files"."erased_at" is null))
);--> statement-breakpoint
CREATE TABLE "stored_objects" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "stored_objects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"university_id" integer,
	"key" varchar(128) NOT NULL,
	"size" bigint NOT NULL,
	"sha256" varchar(64),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"unused_since" timestamp (3) with time zone,
	"going_at" timestamp (3) with time zone,
	"multipart_id" text,
	CONSTRAINT "stored_objects_key_unique" UNIQUE("key"),
	CONSTRAINT "stored_objects_going_check" CHECK ("stored_objects"."going_at" is null or "stored_objects"."unused_since" is not null)
);--> statement-breakpoint
CREATE TABLE "upload_days" (
	"user_id" integer NOT NULL,
	"day" date NOT NULL,
	"files" integer DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "upload_days_user_id_day_pk" PRIMARY KEY("user_id","day")
);--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"scopes" text[] NOT NULL,
	"key_hash" varchar(64) NOT NULL,
	"maker_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"last_used_on" date,
	"warned_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_scopes_check" CHECK (cardinality(scopes) > 0 and scopes <@ array['people:read', 'people:write', 'enrollments:write', 'grades:read', 'reports:read', 'events:read', 'scim'])
);--> statement-breakpoint
CREATE TABLE "audit_people" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"full_name" varchar(255) NOT NULL,
	"email" varchar(255) NOT NULL,
	"erased_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "audit_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"action" text NOT NULL,
	"actor_id" integer,
	"subject_id" integer,
	"university_id" integer,
	"api_key_id" integer,
	"request_id" varchar(128),
	"from_address" varchar(64),
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'scim_user.created', 'scim_user.deleted', 'scim_group.mapped', 'office.granted', 'office.revoked', 'accommodation.granted', 'accommodation.withdrawn', 'person.read', 'retention.set', 'retention.counted', 'retention.held', 'retention.released', 'retention.forgotten', 'data_request.made', 'data_request.approved', 'data_request.rejected', 'data_request.exported', 'data_request.done', 'group.created', 'group.changed', 'group.deleted', 'group.member_added', 'group.member_removed', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'lti_context.bound', 'lti_context.unbound', 'lti_person.linked', 'lti_person.unlinked', 'lti_tool.created', 'lti_tool.changed', 'lti_tool.removed', 'one_roster_source.created', 'one_roster_source.removed', 'offering_staff.named', 'offering_staff.removed', 'offering_staff.readmitted', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused', 'lti_roster.taken'))
);--> statement-breakpoint
CREATE TABLE "countries" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "countries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"iso_code" char(2) NOT NULL,
	"name" varchar(255) NOT NULL,
	"region_name" varchar(255),
	CONSTRAINT "countries_iso_code_unique" UNIQUE("iso_code")
);--> statement-breakpoint
CREATE TABLE "stored_credentials" (
	"name" varchar(64) PRIMARY KEY NOT NULL,
	"university_id" integer,
	"ciphertext" text NOT NULL,
	"access_key_id_last4" varchar(4) NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_by" integer
);--> statement-breakpoint
CREATE TABLE "departments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "departments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"code" varchar(64) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "departments_university_id_code_unique" UNIQUE("university_id","code"),
	CONSTRAINT "departments_university_id_id_unique" UNIQUE("university_id","id")
);--> statement-breakpoint
CREATE TABLE "account_hash_keys" (
	"secret_mark" varchar(64) PRIMARY KEY NOT NULL,
	"ciphertext" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "erased_identifiers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "erased_identifiers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"university_id" integer,
	"identifier" varchar(255) NOT NULL
);--> statement-breakpoint
CREATE TABLE "erasures" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "former_accounts" (
	"user_id" integer NOT NULL,
	"former_user_id" integer NOT NULL,
	CONSTRAINT "former_accounts_user_id_former_user_id_pk" PRIMARY KEY("user_id","former_user_id")
);--> statement-breakpoint
CREATE TABLE "user_identities" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_identities_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"provider" varchar(64) NOT NULL,
	"subject" varchar(255) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "user_identities_provider_subject_unique" UNIQUE("provider","subject")
);--> statement-breakpoint
CREATE TABLE "identity_providers" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "identity_providers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(32) NOT NULL,
	"label" varchar(255) NOT NULL,
	"kind" text DEFAULT 'oidc' NOT NULL,
	"issuer" varchar(512) NOT NULL,
	"client_id" varchar(255) NOT NULL,
	"secret_ciphertext" text NOT NULL,
	"vouches" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "identity_providers_university_id_name_unique" UNIQUE("university_id","name"),
	CONSTRAINT "identity_providers_kind_check" CHECK ("identity_providers"."kind" in ('oidc', 'saml'))
);--> statement-breakpoint
CREATE TABLE "login_failures" (
	"account_hash" varchar(64) PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "one_time_tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "one_time_tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"purpose" text NOT NULL,
	"token_hash" varchar(64) NOT NULL,
	"email" varchar(255) NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "one_time_tokens_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "one_time_tokens_purpose_check" CHECK ("one_time_tokens"."purpose" in ('password_reset', 'verify_email', 'change_email'))
);--> statement-breakpoint
CREATE TABLE "user_profiles" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"date_of_birth" date,
	"learning_goal" text,
	"study_level" text,
	"grade" text,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "user_subject_preferences" (
	"user_id" integer NOT NULL,
	"subject_id" integer NOT NULL,
	CONSTRAINT "user_subject_preferences_user_id_subject_id_pk" PRIMARY KEY("user_id","subject_id")
);--> statement-breakpoint
CREATE TABLE "user_university_roles" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_university_roles_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"role" text NOT NULL,
	"department_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"by_directory" boolean DEFAULT false NOT NULL,
	CONSTRAINT "user_university_roles_held_once" UNIQUE NULLS NOT DISTINCT("user_id","university_id","role","department_id"),
	CONSTRAINT "user_university_roles_role_check" CHECK ("user_university_roles"."role" in ('student', 'ta', 'instructor', 'department_admin', 'university_admin', 'platform_admin'))
);--> statement-breakpoint
CREATE TABLE "saml_providers" (
	"identity_provider_id" integer PRIMARY KEY NOT NULL,
	"metadata_url" varchar(1000),
	"metadata_certificate" text,
	"sso_url" varchar(1000) NOT NULL,
	"certificates" text[] NOT NULL,
	"scopes" text[] DEFAULT '{}' NOT NULL,
	"valid_until" timestamp (3) with time zone,
	"signed" text DEFAULT 'both' NOT NULL,
	"affiliation_roles" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"certificate" text NOT NULL,
	"second_certificate" text,
	"second_secret_ciphertext" text,
	"metadata_read_at" timestamp (3) with time zone NOT NULL,
	"metadata_tried_at" timestamp (3) with time zone NOT NULL,
	"metadata_problem" varchar(500),
	"seen_attributes" jsonb,
	"seen_at" timestamp (3) with time zone,
	CONSTRAINT "saml_providers_signed_check" CHECK ("saml_providers"."signed" in ('both', 'response', 'assertion')),
	CONSTRAINT "saml_providers_second_certificate_check" CHECK ((second_certificate is null) = (second_secret_ciphertext is null))
);--> statement-breakpoint
CREATE TABLE "saml_refusals" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "saml_refusals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"identity_provider_id" integer NOT NULL,
	"reason" varchar(32) NOT NULL,
	"detail" varchar(500),
	"times" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "saml_refusals_identity_provider_id_reason_unique" UNIQUE("identity_provider_id","reason")
);--> statement-breakpoint
CREATE TABLE "universities" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "universities_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" varchar(255) NOT NULL,
	"short_code" varchar(64) NOT NULL,
	"country_id" integer NOT NULL,
	"time_zone" varchar(64) DEFAULT 'UTC' NOT NULL,
	"website_url" varchar(512),
	"is_active" boolean DEFAULT true NOT NULL,
	"requires_own_provider" boolean DEFAULT false NOT NULL,
	"search_text" text GENERATED ALWAYS AS (searched(name || ' ' || short_code)) STORED,
	"display_name" varchar(60),
	"color" varchar(7),
	"logo_token" varchar(32),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "universities_short_code_unique" UNIQUE("short_code"),
	CONSTRAINT "universities_logo_token_unique" UNIQUE("logo_token"),
	CONSTRAINT "universities_color_check" CHECK ("universities"."color" ~ '^#[0-9a-f]{6}$')
);--> statement-breakpoint
CREATE TABLE "university_domains" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "university_domains_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"domain" varchar(255) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "university_domains_university_id_domain_unique" UNIQUE("university_id","domain")
);--> statement-breakpoint
CREATE TABLE "university_members" (
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"full_name" varchar(255) NOT NULL,
	"email" varchar(255) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"search_text" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"suspended_by_directory" boolean DEFAULT false NOT NULL,
	"tokens_ended_at" timestamp (3) with time zone,
	"given_name" varchar(255),
	"family_name" varchar(255),
	"source" text,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "university_members_university_id_user_id_pk" PRIMARY KEY("university_id","user_id"),
	CONSTRAINT "university_members_source_check" CHECK ("university_members"."source" in ('import', 'staff', 'directory'))
);--> statement-breakpoint
CREATE TABLE "university_time_zones" (
	"university_id" integer NOT NULL,
	"from_day" date NOT NULL,
	"time_zone" varchar(64) NOT NULL,
	CONSTRAINT "university_time_zones_university_id_from_day_pk" PRIMARY KEY("university_id","from_day")
);--> statement-breakpoint
CREATE TABLE "users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"email" varchar(255),
	"full_name" varchar(255) NOT NULL,
	"password_hash" text,
	"locale" varchar(16) DEFAULT 'en' NOT NULL,
	"time_zone" varchar(64) DEFAULT 'UTC' NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"tutor_sees_results" boolean DEFAULT false NOT NULL,
	"email_verified_at" timestamp (3) with time zone,
	"made_by_university_id" integer,
	"token_version" integer DEFAULT 0 NOT NULL,
	"current_streak_days" integer DEFAULT 0 NOT NULL,
	"last_activity_date" date,
	"avatar_token" varchar(32),
	"erased_at" timestamp (3) with time zone,
	"search_text" text,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_avatar_token_unique" UNIQUE("avatar_token"),
	CONSTRAINT "users_email_lowercase" CHECK ("users"."email" = lower("users"."email")),
	CONSTRAINT "users_erased_check" CHECK ("users"."erased_at" is null
          or num_nonnulls("users"."email", "users"."password_hash", "users"."email_verified_at") = 0
             and "users"."full_name" = '' and not "users"."is_active")
);--> statement-breakpoint
CREATE TABLE "cartridge_files" (
	"import_id" integer NOT NULL,
	"path" text NOT NULL,
	"file_id" bigint NOT NULL,
	CONSTRAINT "cartridge_files_import_id_path_pk" PRIMARY KEY("import_id","path")
);--> statement-breakpoint
CREATE TABLE "cartridge_imports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cartridge_imports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"created_by_user_id" integer,
	"file_id" bigint,
	"is_dry_run" boolean NOT NULL,
	"cartridge_version" varchar(20),
	"title" varchar(255),
	"listed_at" timestamp (3) with time zone,
	"failure" text,
	"leased_until" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "cartridge_parts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cartridge_parts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"import_id" integer NOT NULL,
	"number" integer NOT NULL,
	"parent_number" integer,
	"kind" text NOT NULL,
	"identifier" text NOT NULL,
	"title" varchar(255) NOT NULL,
	"details" jsonb NOT NULL,
	"is_last" boolean NOT NULL,
	"outcome" text,
	"reason" text,
	"became" text[] DEFAULT '{}' NOT NULL,
	"left_out" text[] DEFAULT '{}' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"module_id" integer,
	"content_item_ids" integer[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "cartridge_parts_import_id_number_unique" UNIQUE("import_id","number"),
	CONSTRAINT "cartridge_parts_kind_check" CHECK ("cartridge_parts"."kind" in ('module', 'page', 'file', 'link', 'topic', 'quiz', 'question_bank', 'assignment', 'lti_link', 'other')),
	CONSTRAINT "cartridge_parts_outcome_check" CHECK ("cartridge_parts"."outcome" in ('created', 'partly', 'refused', 'ignored'))
);--> statement-breakpoint
CREATE TABLE "import_rows" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "import_rows_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"import_id" integer NOT NULL,
	"kind" text NOT NULL,
	"file" varchar(64) NOT NULL,
	"line" integer NOT NULL,
	"sourced_id" varchar(255),
	"email" varchar(255),
	"is_deletion" boolean NOT NULL,
	"details" jsonb NOT NULL,
	"outcome" text,
	"reason" text,
	"user_id" integer,
	CONSTRAINT "import_rows_kind_check" CHECK ("import_rows"."kind" in ('offering', 'person', 'role', 'enrollment')),
	CONSTRAINT "import_rows_outcome_check" CHECK ("import_rows"."outcome" in ('created', 'updated', 'unchanged', 'offered', 'refused'))
);--> statement-breakpoint
CREATE TABLE "imports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "imports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"created_by_user_id" integer,
	"format" text NOT NULL,
	"is_dry_run" boolean NOT NULL,
	"overrides" boolean NOT NULL,
	"total" integer NOT NULL,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"offered" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"read_as" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"ignored" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "imports_format_check" CHECK ("imports"."format" in ('csv', 'one_roster'))
);--> statement-breakpoint
CREATE TABLE "sourced_offerings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sourced_offerings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"sourced_id" varchar(255) NOT NULL,
	"course_offering_id" integer NOT NULL,
	"course_sourced_id" varchar(255),
	CONSTRAINT "sourced_offerings_university_id_sourced_id_unique" UNIQUE("university_id","sourced_id")
);--> statement-breakpoint
CREATE TABLE "sourced_people" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sourced_people_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"sourced_id" varchar(255) NOT NULL,
	"user_id" integer NOT NULL,
	CONSTRAINT "sourced_people_university_id_sourced_id_unique" UNIQUE("university_id","sourced_id")
);--> statement-breakpoint
CREATE TABLE "lti_contexts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_contexts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"deployment_id" integer NOT NULL,
	"context_id" varchar(255) NOT NULL,
	"title" varchar(255) NOT NULL,
	"course_offering_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"memberships_url" varchar(2000),
	"line_items_url" varchar(2000),
	"grade_scopes" text[] DEFAULT '{}' NOT NULL,
	"bound_by_user_id" integer,
	"last_launched_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_contexts_platform_id_deployment_id_context_id_unique" UNIQUE("platform_id","deployment_id","context_id")
);--> statement-breakpoint
CREATE TABLE "lti_enrollments" (
	"enrollment_id" integer NOT NULL,
	"context_id" integer NOT NULL,
	"source" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_enrollments_enrollment_id_context_id_pk" PRIMARY KEY("enrollment_id","context_id"),
	CONSTRAINT "lti_enrollments_source_check" CHECK ("lti_enrollments"."source" in ('launch', 'roster'))
);--> statement-breakpoint
CREATE TABLE "lti_links" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_links_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"context_id" integer NOT NULL,
	"resource_link_id" varchar(255) NOT NULL,
	"title" varchar(255),
	"content_item_id" integer,
	"module_id" integer,
	"line_item_url" varchar(2000),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_links_context_id_resource_link_id_unique" UNIQUE("context_id","resource_link_id"),
	CONSTRAINT "lti_links_target_check" CHECK (num_nonnulls("lti_links"."content_item_id", "lti_links"."module_id") <= 1)
);--> statement-breakpoint
CREATE TABLE "offering_staff" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offering_staff_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"role" text NOT NULL,
	"source" text NOT NULL,
	"lti_context_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "offering_staff_course_offering_id_user_id_unique" UNIQUE("course_offering_id","user_id"),
	CONSTRAINT "offering_staff_role_check" CHECK ("offering_staff"."role" in ('ta', 'instructor')),
	CONSTRAINT "offering_staff_source_check" CHECK ("offering_staff"."source" in ('launch', 'roster'))
);--> statement-breakpoint
CREATE TABLE "lti_keys" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"serial_number" integer NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_key" text NOT NULL,
	"signs_from" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_keys_serial_number_unique" UNIQUE("serial_number")
);--> statement-breakpoint
CREATE TABLE "lti_launch_codes" (
	"code_hash" varchar(64) PRIMARY KEY NOT NULL,
	"platform_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"challenge" varchar(64),
	"launch" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "lti_refused_launches" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_refused_launches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"day" date NOT NULL,
	"reason" varchar(32) NOT NULL,
	"launches" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"last_request_id" varchar(64),
	CONSTRAINT "lti_refused_launches_platform_id_day_reason_unique" UNIQUE("platform_id","day","reason")
);--> statement-breakpoint
CREATE TABLE "lti_people" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_people_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"subject" varchar(255) NOT NULL,
	"user_id" integer,
	"linked_by" text,
	"unlinked_at" timestamp (3) with time zone,
	"told_name" varchar(255),
	"told_email" varchar(255),
	"told_sourced_id" varchar(255),
	"last_launched_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_people_platform_id_subject_unique" UNIQUE("platform_id","subject"),
	CONSTRAINT "lti_people_linked_by_check" CHECK ("lti_people"."linked_by" in ('sourced_id', 'email', 'sign_in', 'made')),
	CONSTRAINT "lti_people_linked_check" CHECK (num_nonnulls("lti_people"."user_id", "lti_people"."linked_by") <> 1)
);--> statement-breakpoint
CREATE TABLE "lti_deployments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_deployments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"platform_id" integer NOT NULL,
	"deployment_id" varchar(255) NOT NULL,
	"admitted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_deployments_platform_id_deployment_id_unique" UNIQUE("platform_id","deployment_id"),
	CONSTRAINT "lti_deployments_id_platform_id_unique" UNIQUE("id","platform_id")
);--> statement-breakpoint
CREATE TABLE "lti_platforms" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_platforms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"issuer" varchar(512) NOT NULL,
	"client_id" varchar(255) NOT NULL,
	"auth_login_url" varchar(1000) NOT NULL,
	"auth_token_url" varchar(1000) NOT NULL,
	"jwks_url" varchar(1000) NOT NULL,
	"frame_origins" text[] DEFAULT '{}' NOT NULL,
	"trusts_sourced_id" boolean DEFAULT false NOT NULL,
	"trusts_email" boolean DEFAULT false NOT NULL,
	"staff_by_institution_role" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_platforms_university_id_issuer_client_id_unique" UNIQUE("university_id","issuer","client_id"),
	CONSTRAINT "lti_platforms_id_university_id_unique" UNIQUE("id","university_id")
);--> statement-breakpoint
CREATE TABLE "lti_rosters" (
	"context_id" integer PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"mode" text NOT NULL,
	"asked_by_user_id" integer,
	"due_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"counts" jsonb,
	"failure" varchar(255),
	"taken_at" timestamp (3) with time zone,
	"differences_url" varchar(2000),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_rosters_state_check" CHECK ("lti_rosters"."state" in ('asked', 'taken', 'dry', 'failed', 'waiting')),
	CONSTRAINT "lti_rosters_mode_check" CHECK ("lti_rosters"."mode" in ('whole', 'dry', 'confirmed', 'nightly'))
);--> statement-breakpoint
CREATE TABLE "lti_score_marks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_score_marks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"user_id" integer,
	"content_item_id" integer,
	"is_forced" boolean DEFAULT false NOT NULL,
	"after_person_id" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "lti_scores" (
	"link_id" integer NOT NULL,
	"person_id" integer NOT NULL,
	"marks" integer DEFAULT 1 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"waits_since" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"told_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"sent_score" numeric(8, 2),
	"sent_maximum" numeric(8, 2),
	"is_refused" boolean DEFAULT false NOT NULL,
	"failure" varchar(255),
	CONSTRAINT "lti_scores_link_id_person_id_pk" PRIMARY KEY("link_id","person_id")
);--> statement-breakpoint
CREATE TABLE "lti_service_pauses" (
	"platform_id" integer PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"tries" integer NOT NULL,
	"failure" varchar(255) NOT NULL
);--> statement-breakpoint
CREATE TABLE "lti_tool_deployments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_tool_deployments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"tool_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"course_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_tool_deployments_unique" UNIQUE NULLS NOT DISTINCT("tool_id","course_id")
);--> statement-breakpoint
CREATE TABLE "lti_tools" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_tools_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer,
	"name" varchar(255) NOT NULL,
	"client_id" varchar(64) NOT NULL,
	"login_url" varchar(1000) NOT NULL,
	"launch_url" varchar(1000) NOT NULL,
	"deep_linking_url" varchar(1000),
	"redirect_uris" text[] NOT NULL,
	"jwks_url" varchar(1000),
	"public_jwks" jsonb,
	"shares_name" boolean DEFAULT false NOT NULL,
	"shares_email" boolean DEFAULT false NOT NULL,
	"custom_parameters" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"target" text DEFAULT 'frame' NOT NULL,
	"in_navigation" boolean DEFAULT false NOT NULL,
	"subject_key" varchar(32) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_tools_client_id_unique" UNIQUE("client_id"),
	CONSTRAINT "lti_tools_id_university_id_unique" UNIQUE("id","university_id"),
	CONSTRAINT "lti_tools_target_check" CHECK ("lti_tools"."target" in ('frame', 'window')),
	CONSTRAINT "lti_tools_keys_check" CHECK (num_nonnulls("lti_tools"."jwks_url", "lti_tools"."public_jwks") = 1)
);--> statement-breakpoint
CREATE TABLE "one_roster_sources" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "one_roster_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"service_url" varchar(2000) NOT NULL,
	"token_url" varchar(2000) NOT NULL,
	"client_id" varchar(255) NOT NULL,
	"secret_ciphertext" text NOT NULL,
	"created_by_user_id" integer,
	"mode" text NOT NULL,
	"state" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"synced_at" timestamp (3) with time zone,
	"failure" varchar(255),
	"removals" integer,
	"import_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "one_roster_sources_university_id_service_url_unique" UNIQUE("university_id","service_url"),
	CONSTRAINT "one_roster_sources_mode_check" CHECK ("one_roster_sources"."mode" in ('changes', 'full', 'preview', 'confirmed')),
	CONSTRAINT "one_roster_sources_state_check" CHECK ("one_roster_sources"."state" in ('requested', 'imported', 'previewed', 'unconfirmed', 'failed'))
);--> statement-breakpoint
CREATE TABLE "scim_group_members" (
	"group_id" integer NOT NULL,
	"scim_user_id" integer NOT NULL,
	CONSTRAINT "scim_group_members_group_id_scim_user_id_pk" PRIMARY KEY("group_id","scim_user_id")
);--> statement-breakpoint
CREATE TABLE "scim_groups" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scim_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"display_name" varchar(255) NOT NULL,
	"external_id" varchar(255),
	"role" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "scim_groups_external_id_key" UNIQUE("university_id","external_id"),
	CONSTRAINT "scim_groups_role_check" CHECK ("scim_groups"."role" in ('student', 'ta', 'instructor'))
);--> statement-breakpoint
CREATE TABLE "scim_requests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scim_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"api_key_id" integer NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"method" varchar(16) NOT NULL,
	"path" varchar(128) NOT NULL,
	"status" integer NOT NULL,
	"scim_type" varchar(32),
	"detail" varchar(255),
	"request_id" varchar(128) NOT NULL,
	CONSTRAINT "scim_requests_university_id_asked_at_request_id_unique" UNIQUE("university_id","asked_at","request_id")
);--> statement-breakpoint
CREATE TABLE "scim_users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scim_users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_name" varchar(255) NOT NULL,
	"external_id" varchar(255),
	"email" varchar(255),
	"full_name" varchar(255) NOT NULL,
	"is_active" boolean NOT NULL,
	"attributes" jsonb NOT NULL,
	"user_id" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "scim_users_external_id_key" UNIQUE("university_id","external_id"),
	CONSTRAINT "scim_users_user_id_key" UNIQUE("university_id","user_id")
);--> statement-breakpoint
CREATE TABLE "scorm_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scorm_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"attempt_number" integer DEFAULT 1 NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"committed_at" timestamp (3) with time zone,
	"session_id" text NOT NULL,
	"sequence" integer DEFAULT 0 NOT NULL,
	"scos" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"sequencing" jsonb,
	"completed_at" timestamp (3) with time zone,
	"passed" boolean,
	"score_scaled" numeric(7, 6),
	"total_seconds" integer DEFAULT 0 NOT NULL,
	"grade_version" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "scorm_attempts_attempt_number_unique" UNIQUE("user_id","course_offering_id","content_item_id","attempt_number"),
	CONSTRAINT "scorm_attempts_score_check" CHECK ("scorm_attempts"."score_scaled" between 0 and 1)
);--> statement-breakpoint
CREATE TABLE "scorm_packages" (
	"file_id" bigint PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"title" varchar(255) NOT NULL,
	"scos" jsonb NOT NULL,
	"activity_tree" jsonb,
	"entries" jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "scorm_packages_version_check" CHECK ("scorm_packages"."version" in ('1.2', '2004'))
);--> statement-breakpoint
CREATE TABLE "data_requests" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "data_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"received_on" date NOT NULL,
	"correction" jsonb,
	"made_by_user_id" integer,
	"made_at" timestamp (3) with time zone NOT NULL,
	"decided_by_user_id" integer,
	"decided_at" timestamp (3) with time zone,
	"reason" text,
	"erased_user_id" integer,
	"done_at" timestamp (3) with time zone,
	"available_until" timestamp (3) with time zone,
	CONSTRAINT "data_requests_kind_check" CHECK ("data_requests"."kind" in ('export', 'rectify', 'erase')),
	CONSTRAINT "data_requests_state_check" CHECK ("data_requests"."state" in ('open', 'approved', 'rejected', 'done')),
	CONSTRAINT "data_requests_four_eyes_check" CHECK ("data_requests"."state" in ('open', 'rejected') or "data_requests"."made_by_user_id" <> "data_requests"."decided_by_user_id"),
	CONSTRAINT "data_requests_own_check" CHECK ("data_requests"."user_id" <> "data_requests"."made_by_user_id" and "data_requests"."user_id" <> "data_requests"."decided_by_user_id"),
	CONSTRAINT "data_requests_decided_check" CHECK (("data_requests"."state" = 'open') = ("data_requests"."decided_at" is null) and ("data_requests"."state" = 'done') = ("data_requests"."done_at" is not null)),
	CONSTRAINT "data_requests_erased_check" CHECK ("data_requests"."erased_user_id" is null or ("data_requests"."kind" = 'erase' and "data_requests"."state" = 'approved')),
	CONSTRAINT "data_requests_correction_check" CHECK ("data_requests"."correction" is null or ("data_requests"."kind" = 'rectify' and "data_requests"."state" = 'open'))
);--> statement-breakpoint
CREATE TABLE "feature_request_totals" (
	"status" text PRIMARY KEY NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "feature_request_totals_status_check" CHECK ("feature_request_totals"."status" in ('pending', 'under_review', 'planned', 'completed', 'declined'))
);--> statement-breakpoint
CREATE TABLE "feature_requests" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feature_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"admin_notes" text,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "feature_requests_status_check" CHECK ("feature_requests"."status" in ('pending', 'under_review', 'planned', 'completed', 'declined'))
);--> statement-breakpoint
CREATE TABLE "retention_archives" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "retention_archives_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"run_id" integer NOT NULL,
	"kind" text NOT NULL,
	"rows" integer NOT NULL,
	"object_id" bigint NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "retention_archives_kind_check" CHECK ("retention_archives"."kind" in ('activity_events', 'conversations', 'llm_calls', 'audit_events', 'notifications', 'submissions', 'grades'))
);--> statement-breakpoint
CREATE TABLE "retention_holds" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "retention_holds_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer,
	"course_offering_id" integer,
	"reason" text NOT NULL,
	"held_until" date,
	"placed_by_user_id" integer,
	"placed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "retention_holds_one_check" CHECK (num_nonnulls("retention_holds"."user_id", "retention_holds"."course_offering_id") = 1)
);--> statement-breakpoint
CREATE TABLE "retention_periods" (
	"university_id" integer NOT NULL,
	"kind" text NOT NULL,
	"days" integer NOT NULL,
	"set_at" timestamp (3) with time zone NOT NULL,
	"counted_at" timestamp (3) with time zone,
	CONSTRAINT "retention_periods_university_id_kind_pk" PRIMARY KEY("university_id","kind"),
	CONSTRAINT "retention_periods_kind_check" CHECK ("retention_periods"."kind" in ('activity_events', 'conversations', 'llm_calls', 'audit_events', 'notifications', 'submissions', 'grades')),
	CONSTRAINT "retention_periods_days_check" CHECK ("retention_periods"."days" between 1 and 36500)
);--> statement-breakpoint
CREATE TABLE "retention_policies" (
	"university_id" integer PRIMARY KEY NOT NULL,
	"archive_days" integer NOT NULL,
	"forgotten_change" bigint,
	"forgotten_event" bigint
);--> statement-breakpoint
CREATE TABLE "retention_runs" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "retention_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"forgotten" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"part" varchar(64) NOT NULL,
	"reached_container" bigint DEFAULT 0 NOT NULL,
	"reached_row" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "llm_batches" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "llm_batches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"trial_id" bigint,
	"warming_id" bigint,
	"marker" uuid DEFAULT gen_random_uuid() NOT NULL,
	"provider_id" varchar(255),
	"state" text DEFAULT 'gathering' NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	"token" uuid,
	"leased_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "llm_batches_state_check" CHECK ("llm_batches"."state" in ('gathering', 'sending', 'sent', 'ended', 'lost', 'refused')),
	CONSTRAINT "llm_batches_owner_check" CHECK (num_nonnulls("llm_batches"."trial_id", "llm_batches"."warming_id") = 1)
);--> statement-breakpoint
CREATE TABLE "mail_outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mail_outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"address" varchar(255) NOT NULL,
	"user_id" integer,
	"from_address" varchar(64),
	"from_network" varchar(64),
	"from_person" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"failure" varchar(255),
	CONSTRAINT "mail_outbox_kind_check" CHECK ("mail_outbox"."kind" in ('password_reset', 'password_changed', 'verify_email', 'change_email', 'email_changed', 'invitation', 'notifications', 'api_keys', 'data_request'))
);--> statement-breakpoint
CREATE TABLE "metric_instances" (
	"id" uuid PRIMARY KEY NOT NULL,
	"requests_in_progress" integer NOT NULL,
	"last_batch" integer NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "metric_samples" (
	"sample" varchar(64) NOT NULL,
	"labels" jsonb NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metric_samples_sample_labels_pk" PRIMARY KEY("sample","labels")
);--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"name" varchar(160) PRIMARY KEY NOT NULL,
	"used" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "scheduled_tasks" (
	"name" varchar(64) PRIMARY KEY NOT NULL,
	"holder" uuid,
	"held_until" timestamp (3) with time zone,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"reached_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"secret_mark" varchar(64) NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "signing_keys_secret_mark_unique" UNIQUE("secret_mark")
);--> statement-breakpoint
CREATE TABLE "activity_days" (
	"day" date NOT NULL,
	"user_id" integer NOT NULL,
	"content_item_id" integer,
	"course_id" integer,
	"milliseconds" integer NOT NULL,
	"questions" integer NOT NULL,
	"local_day" date
);--> statement-breakpoint
CREATE TABLE "activity_months" (
	"month" date NOT NULL,
	"user_id" integer NOT NULL,
	"content_item_id" integer,
	"course_id" integer,
	"milliseconds" bigint NOT NULL,
	"questions" integer NOT NULL
);--> statement-breakpoint
CREATE TABLE "counted_facts" (
	"until" date PRIMARY KEY NOT NULL,
	"reached_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "counted_months" (
	"until" date PRIMARY KEY NOT NULL,
	"people_to" integer NOT NULL
);--> statement-breakpoint
CREATE TABLE "course_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"completed_on" date,
	"begun_on" date NOT NULL,
	"fresh_on" datemultirange NOT NULL,
	CONSTRAINT "course_trees_course_offering_id_user_id_pk" PRIMARY KEY("course_offering_id","user_id")
);--> statement-breakpoint
CREATE TABLE "fact_months" (
	"measure" text NOT NULL,
	"course_id" integer NOT NULL,
	"month" date NOT NULL,
	"since" date NOT NULL,
	"amount" numeric NOT NULL,
	CONSTRAINT "fact_months_measure_course_id_month_since_pk" PRIMARY KEY("measure","course_id","month","since"),
	CONSTRAINT "fact_months_measure_check" CHECK ("fact_months"."measure" in ('topics_started', 'topics_completed', 'conversations', 'conversation_milliseconds'))
);--> statement-breakpoint
CREATE TABLE "report_months" (
	"measure" text NOT NULL,
	"course_id" integer,
	"month" date NOT NULL,
	"since" date,
	"amount" bigint NOT NULL,
	"university_id" integer,
	CONSTRAINT "report_months_measure_check" CHECK ("report_months"."measure" in ('people', 'all_people', 'topics', 'all_topics', 'askers', 'all_askers', 'milliseconds', 'all_milliseconds', 'questions', 'all_questions', 'people_by_day', 'university_people', 'university_people_by_day'))
);--> statement-breakpoint
CREATE TABLE "report_totals" (
	"measure" text NOT NULL,
	"course_id" integer,
	"day" date NOT NULL,
	"since" date,
	"amount" numeric NOT NULL,
	"is_kept" boolean NOT NULL,
	"course_offering_id" integer,
	"local_day" date,
	CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'drops', 'topics_started', 'topics_completed', 'trees_completed', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'course_reviews', 'course_ratings', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored', 'assignment_scores', 'certificates_issued', 'certificates_revoked', 'chat_sessions', 'chat_messages', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'joined'))
);--> statement-breakpoint
CREATE TABLE "stale_outlines" (
	"course_id" integer NOT NULL,
	"includes_ended" boolean DEFAULT false NOT NULL,
	"course_offering_id" integer,
	"done_to" integer DEFAULT 0 NOT NULL,
	"looked_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "stale_trees" (
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL
);--> statement-breakpoint
CREATE TABLE "tree_totals" (
	"course_id" integer NOT NULL,
	"is_month" boolean NOT NULL,
	"day" date NOT NULL,
	"completed" integer NOT NULL,
	"interrupted" integer NOT NULL,
	CONSTRAINT "tree_totals_course_id_is_month_day_pk" PRIMARY KEY("course_id","is_month","day")
);--> statement-breakpoint
CREATE TABLE "tutor_report_days" (
	"university_id" integer NOT NULL,
	"day" date NOT NULL,
	"calls" bigint NOT NULL,
	"priced_calls" bigint NOT NULL,
	"hits" bigint NOT NULL,
	"joined" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"cost_micros" bigint NOT NULL,
	CONSTRAINT "tutor_report_days_university_id_day_pk" PRIMARY KEY("university_id","day")
);--> statement-breakpoint
CREATE TABLE "tutor_report_months" (
	"university_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"month" date NOT NULL,
	"calls" bigint NOT NULL,
	"priced_calls" bigint NOT NULL,
	"hits" bigint NOT NULL,
	"joined" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"cost_micros" bigint NOT NULL,
	CONSTRAINT "tutor_report_months_university_id_course_id_month_pk" PRIMARY KEY("university_id","course_id","month")
);--> statement-breakpoint
CREATE TABLE "answer_pins" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "answer_pins_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"path" jsonb NOT NULL,
	"path_hash" varchar(64) NOT NULL,
	"asked" jsonb,
	"asked_hash" varchar(64) NOT NULL,
	"answer" text NOT NULL,
	"question" jsonb,
	"choices" jsonb,
	"question_key" jsonb,
	"pinned_by" integer,
	"pinned_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "cache_nodes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cache_nodes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"parent_id" bigint,
	"message" text NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"prompt_version" integer NOT NULL,
	"model" varchar(255) NOT NULL,
	"prompt_fingerprint" varchar(64) NOT NULL,
	"content_fingerprint" varchar(64) NOT NULL,
	"node_key" "bytea" GENERATED ALWAYS AS (node_key(content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint)) STORED NOT NULL,
	"origin_node_id" bigint,
	"chunks" jsonb NOT NULL,
	"answer" text GENERATED ALWAYS AS (joined_text(chunks)) STORED NOT NULL,
	"question" jsonb,
	"choices" jsonb,
	"question_key" jsonb,
	"input_tokens" integer,
	"output_tokens" integer,
	"visit_count" bigint DEFAULT 0 NOT NULL,
	"hit_count" bigint DEFAULT 0 NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"edited_by" integer,
	"edited_at" timestamp (3) with time zone,
	"is_waiting" boolean DEFAULT false NOT NULL,
	"warmed" boolean DEFAULT false NOT NULL,
	"children_kept" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "cache_nodes_chunks_check" CHECK ("cache_nodes"."chunks" <> '[]')
);--> statement-breakpoint
CREATE TABLE "cache_visits" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cache_visits_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"node_id" bigint NOT NULL,
	"hit" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "failed_answers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "failed_answers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"parent_id" bigint,
	"message" text NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"prompt_version" integer NOT NULL,
	"model" varchar(255) NOT NULL,
	"node_id" bigint,
	"answer" text NOT NULL,
	"failed" jsonb NOT NULL,
	"second_answer" text,
	"second_failed" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "tree_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tree_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"action" text NOT NULL,
	"node_id" bigint NOT NULL,
	"path" jsonb NOT NULL,
	"asked_hash" varchar(64) NOT NULL,
	"former" jsonb NOT NULL,
	"answer" text,
	"former_pin" jsonb,
	"removed" jsonb,
	"removed_count" integer DEFAULT 0 NOT NULL,
	"changed_by" integer,
	"changed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"undone_by" integer,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "tree_changes_action_check" CHECK ("tree_changes"."action" in ('replaced', 'purged', 'keyed'))
);--> statement-breakpoint
CREATE TABLE "chat_messages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"session_id" bigint NOT NULL,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"meta" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"in_reply_to_id" bigint,
	"on_shared_path" boolean DEFAULT false NOT NULL,
	"cache_node_id" bigint,
	"question" jsonb,
	"question_key" jsonb,
	"choices" jsonb,
	"client_message_id" varchar(128),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "chat_messages_in_reply_to_id_unique" UNIQUE("in_reply_to_id"),
	CONSTRAINT "chat_messages_role_check" CHECK ("chat_messages"."role" in ('user', 'assistant'))
);--> statement-breakpoint
CREATE TABLE "chat_sessions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_sessions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"content_context" jsonb NOT NULL,
	"tutor_context" jsonb,
	"item_fingerprint" varchar(64) NOT NULL,
	"surroundings_fingerprint" varchar(64) NOT NULL,
	"prompt_id" integer,
	"rollout_id" integer,
	"rollout_arm" text,
	"title" varchar(255),
	"aside_of_id" bigint,
	"path_end_id" bigint,
	"closed_at" timestamp (3) with time zone,
	"share_enabled" boolean DEFAULT false NOT NULL,
	"share_token" varchar(64),
	"cache_node_id" bigint,
	"cache_state" text DEFAULT 'tracking' NOT NULL,
	"answering_message_id" bigint,
	"answering_generation_id" bigint,
	"answering_since" timestamp (3) with time zone,
	"answering_token" uuid,
	"answering_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "chat_sessions_share_token_unique" UNIQUE("share_token"),
	CONSTRAINT "chat_sessions_cache_state_check" CHECK ("chat_sessions"."cache_state" in ('tracking', 'diverged')),
	CONSTRAINT "chat_sessions_rollout_arm_check" CHECK ("chat_sessions"."rollout_arm" in ('base', 'candidate'))
);--> statement-breakpoint
CREATE TABLE "message_feedback" (
	"message_id" bigint PRIMARY KEY NOT NULL,
	"node_id" bigint,
	"rating" text NOT NULL,
	"comment" text,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "message_feedback_rating_check" CHECK ("message_feedback"."rating" in ('up', 'down'))
);--> statement-breakpoint
CREATE TABLE "generation_pieces" (
	"generation_id" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"first_chunk" integer NOT NULL,
	"chunks" jsonb NOT NULL,
	CONSTRAINT "generation_pieces_generation_id_attempt_first_chunk_pk" PRIMARY KEY("generation_id","attempt","first_chunk")
);--> statement-breakpoint
CREATE TABLE "generations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "generations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"session_id" bigint,
	"question_id" bigint,
	"parent_id" bigint,
	"message" text,
	"prompt_fingerprint" varchar(64) NOT NULL,
	"content_fingerprint" varchar(64) NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"prompt_version" integer NOT NULL,
	"model" varchar(255) NOT NULL,
	"node_key" "bytea" GENERATED ALWAYS AS (node_key(content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint)) STORED,
	"state" text DEFAULT 'writing' NOT NULL,
	"attempt" integer DEFAULT 1 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"token" uuid NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"maker_until" timestamp (3) with time zone NOT NULL,
	"move" varchar(32),
	"stop_requested" boolean DEFAULT false NOT NULL,
	"chunks" jsonb,
	"question" jsonb,
	"question_key" jsonb,
	"choices" jsonb,
	"stop" text,
	"checks" jsonb,
	"node_id" bigint,
	"input_tokens" integer,
	"output_tokens" integer,
	"call_id" bigint,
	"retry_after" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "generations_state_check" CHECK ("generations"."state" in ('writing', 'complete', 'failed')),
	CONSTRAINT "generations_stop_check" CHECK ("generations"."stop" in ('length', 'refusal', 'empty', 'stopped', 'malformed')),
	CONSTRAINT "generations_class_or_private" CHECK (case when question_id is null then session_id is null and message is not null
          else session_id is not null and parent_id is null and message is null end),
	CONSTRAINT "generations_chunks_check" CHECK ((state = 'complete') = (chunks is not null))
);--> statement-breakpoint
CREATE TABLE "llm_calls" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "llm_calls_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"started_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"university_id" integer,
	"course_id" integer,
	"content_item_id" integer,
	"user_id" integer,
	"message_id" bigint,
	"model" varchar(255) NOT NULL,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"cache_read_tokens" integer DEFAULT 0 NOT NULL,
	"cache_write_tokens" integer DEFAULT 0 NOT NULL,
	"usage_estimated" boolean DEFAULT false NOT NULL,
	"reserved_tokens" integer NOT NULL,
	"cost_micros" bigint,
	"first_word_ms" integer,
	"outcome" text DEFAULT 'started' NOT NULL,
	"is_repair" boolean DEFAULT false NOT NULL,
	"purpose" text DEFAULT 'turn' NOT NULL,
	"is_batch" boolean DEFAULT false NOT NULL,
	"warming_id" bigint,
	CONSTRAINT "llm_calls_outcome_check" CHECK ("llm_calls"."outcome" in ('started', 'complete', 'length', 'refusal', 'empty', 'stopped', 'failed', 'timeout', 'lost')),
	CONSTRAINT "llm_calls_purpose_check" CHECK ("llm_calls"."purpose" in ('turn', 'warm', 'trial', 'embedding'))
);--> statement-breakpoint
CREATE TABLE "tutor_budgets" (
	"university_id" integer PRIMARY KEY NOT NULL,
	"granted_turns_per_day" integer,
	"granted_turns_at_once" integer,
	"granted_tokens_per_month" bigint,
	"own_turns_per_day" integer,
	"own_turns_at_once" integer,
	"own_tokens_per_month" bigint
);--> statement-breakpoint
CREATE TABLE "tutor_months" (
	"university_id" integer NOT NULL,
	"month" date NOT NULL,
	"tokens" bigint NOT NULL,
	"trial_tokens" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "tutor_months_university_id_month_pk" PRIMARY KEY("university_id","month")
);--> statement-breakpoint
CREATE TABLE "message_sources" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "message_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"question_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"place" jsonb NOT NULL,
	"perhaps" boolean DEFAULT true NOT NULL,
	CONSTRAINT "message_sources_question_id_number_unique" UNIQUE("question_id","number"),
	CONSTRAINT "message_sources_number_check" CHECK ("message_sources"."number" > 0)
);--> statement-breakpoint
CREATE TABLE "passage_measures" (
	"course_id" integer PRIMARY KEY NOT NULL,
	"asked" integer DEFAULT 0 NOT NULL,
	"found" integer DEFAULT 0 NOT NULL,
	"measured_at" timestamp (3) with time zone,
	"looked_at" timestamp (3) with time zone NOT NULL,
	"hangs_on" text,
	"last_question_id" integer,
	"asked_so_far" integer DEFAULT 0 NOT NULL,
	"found_so_far" integer DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "passage_vector_sweeps" (
	"model" varchar(255) PRIMARY KEY NOT NULL,
	"done_to" bigint NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "passage_vectors" (
	"passage_id" bigint PRIMARY KEY NOT NULL,
	"model" varchar(255) NOT NULL,
	"vector" real[] NOT NULL
);--> statement-breakpoint
CREATE TABLE "passages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "passages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"number" integer NOT NULL,
	"place" jsonb NOT NULL,
	"body" text NOT NULL,
	"search" "tsvector" NOT NULL,
	"length" integer NOT NULL,
	CONSTRAINT "passages_content_item_id_number_unique" UNIQUE("content_item_id","number")
);--> statement-breakpoint
CREATE TABLE "prompt_dependencies" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompt_dependencies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"prompt_id" integer NOT NULL,
	"position" integer NOT NULL,
	"child_name" varchar(255) NOT NULL,
	"child_version" integer,
	"child_label" varchar(36),
	"occurrences" integer DEFAULT 1 NOT NULL,
	"tag_characters" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "prompt_dependencies_prompt_id_position_unique" UNIQUE("prompt_id","position"),
	CONSTRAINT "prompt_dependencies_version_or_label" CHECK (num_nonnulls("prompt_dependencies"."child_version", "prompt_dependencies"."child_label") = 1)
);--> statement-breakpoint
CREATE TABLE "prompt_label_events" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompt_label_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" varchar(255) NOT NULL,
	"label" varchar(36) NOT NULL,
	"from_version" integer,
	"to_version" integer,
	"changed_by" integer,
	"changed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "prompt_labels" (
	"name" varchar(255) NOT NULL,
	"label" varchar(36) NOT NULL,
	"prompt_id" integer NOT NULL,
	CONSTRAINT "prompt_labels_name_label_pk" PRIMARY KEY("name","label")
);--> statement-breakpoint
CREATE TABLE "prompt_names" (
	"name" varchar(255) PRIMARY KEY NOT NULL,
	"type" text DEFAULT 'text' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"latest_version" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "prompt_names_type_check" CHECK ("prompt_names"."type" in ('text'))
);--> statement-breakpoint
CREATE TABLE "prompts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" varchar(255) NOT NULL,
	"version" integer NOT NULL,
	"prompt" text NOT NULL,
	"plain_fingerprint" varchar(64) GENERATED ALWAYS AS (case when prompt not like '%@@@refPrompt:%' then sha256_hex(prompt) end) STORED,
	"uses_surroundings" boolean GENERATED ALWAYS AS (prompt ~ '\{\{ *(module_title|course_title) *\}\}') STORED NOT NULL,
	"characters" integer GENERATED ALWAYS AS (length(prompt)) STORED NOT NULL,
	"config" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"commit_message" varchar(500),
	"created_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "prompts_name_version_unique" UNIQUE("name","version"),
	CONSTRAINT "prompts_name_id_unique" UNIQUE("name","id"),
	CONSTRAINT "prompts_version_check" CHECK ("prompts"."version" >= 1)
);--> statement-breakpoint
CREATE TABLE "prompt_rollouts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompt_rollouts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"prompt_name" varchar(255) NOT NULL,
	"candidate_id" integer,
	"candidate_version" integer NOT NULL,
	"base_id" integer,
	"base_version" integer NOT NULL,
	"share" integer NOT NULL,
	"unit" text NOT NULL,
	"universities" integer[],
	"stop" jsonb NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"stop_reason" text,
	"author_id" integer,
	"approved_by" integer,
	"ended_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"warmed_to" integer,
	"warmings" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "prompt_rollouts_share_check" CHECK ("prompt_rollouts"."share" between 1 and 50),
	CONSTRAINT "prompt_rollouts_unit_check" CHECK ("prompt_rollouts"."unit" in ('offering', 'person')),
	CONSTRAINT "prompt_rollouts_state_check" CHECK ("prompt_rollouts"."state" in ('running', 'promoted', 'stopped')),
	CONSTRAINT "prompt_rollouts_stop_reason_check" CHECK ("prompt_rollouts"."stop_reason" in ('by_hand', 'production_moved', 'malformed', 'refusals', 'cut_offs', 'length', 'downs', 'cost', 'first_word'))
);--> statement-breakpoint
CREATE TABLE "trial_cases" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "trial_cases_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"trial_id" bigint NOT NULL,
	"content_item_id" integer NOT NULL,
	"node_id" bigint,
	"visits" integer NOT NULL,
	"message" text NOT NULL,
	"attack" jsonb,
	"persona" text,
	"exchanges" jsonb NOT NULL,
	"recorded" text,
	"recorded_question" jsonb,
	"recorded_key" jsonb,
	"recorded_checks" jsonb,
	"state" text DEFAULT 'waiting' NOT NULL,
	"reason" text,
	"stage" text DEFAULT 'answer' NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"token" uuid,
	"tries" integer DEFAULT 0 NOT NULL,
	"batch_id" bigint,
	"call_id" bigint,
	"reserved_micros" bigint DEFAULT 0 NOT NULL,
	"prompt_fingerprint" varchar(64),
	"answer" text,
	"question" jsonb,
	"key" jsonb,
	"stop" text,
	"checks" jsonb,
	"input_tokens" integer,
	"output_tokens" integer,
	"cost_micros" bigint,
	"judged" jsonb,
	"verdict" text,
	"unjudged_reason" text,
	"judge_micros" bigint,
	CONSTRAINT "trial_cases_state_check" CHECK ("trial_cases"."state" in ('waiting', 'running', 'answered', 'failed', 'skipped')),
	CONSTRAINT "trial_cases_reason_check" CHECK ("trial_cases"."reason" in ('limit', 'budget', 'stopped', 'prompt_changed', 'topic_gone', 'no_price', 'llm')),
	CONSTRAINT "trial_cases_stage_check" CHECK ("trial_cases"."stage" in ('answer', 'judge', 'judge_swapped')),
	CONSTRAINT "trial_cases_persona_check" CHECK ("trial_cases"."persona" in ('sure', 'mistaken', 'hint_seeking', 'lost', 'talkative')),
	CONSTRAINT "trial_cases_verdict_check" CHECK ("trial_cases"."verdict" in ('candidate', 'recorded', 'tie')),
	CONSTRAINT "trial_cases_unjudged_reason_check" CHECK ("trial_cases"."unjudged_reason" in ('failed_checks', 'unreadable', 'limit', 'budget', 'stopped', 'topic_gone', 'no_price', 'llm'))
);--> statement-breakpoint
CREATE TABLE "trial_votes" (
	"case_id" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"vote" text NOT NULL,
	"voted_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "trial_votes_case_id_user_id_pk" PRIMARY KEY("case_id","user_id"),
	CONSTRAINT "trial_votes_vote_check" CHECK ("trial_votes"."vote" in ('candidate', 'recorded', 'tie'))
);--> statement-breakpoint
CREATE TABLE "trials" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "trials_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"version" integer NOT NULL,
	"against" integer NOT NULL,
	"prompt_fingerprint" varchar(64) NOT NULL,
	"against_fingerprint" varchar(64) NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'ready' NOT NULL,
	"model" varchar(255) NOT NULL,
	"judge_model" varchar(255),
	"is_whole" boolean DEFAULT false NOT NULL,
	"batch_least" integer,
	"limit_micros" bigint NOT NULL,
	"estimated_input_tokens" bigint NOT NULL,
	"estimated_output_tokens" bigint NOT NULL,
	"estimated_micros" bigint NOT NULL,
	"spent_micros" bigint DEFAULT 0 NOT NULL,
	"reserved_micros" bigint DEFAULT 0 NOT NULL,
	"lost_micros" bigint DEFAULT 0 NOT NULL,
	"calls_estimated" bigint DEFAULT 0 NOT NULL,
	"created_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "trials_kind_check" CHECK ("trials"."kind" in ('step', 'free', 'leak')),
	CONSTRAINT "trials_state_check" CHECK ("trials"."state" in ('ready', 'running', 'finished', 'stopped'))
);--> statement-breakpoint
CREATE TABLE "tutor_notes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tutor_notes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"content_item_id" integer,
	"notes" text DEFAULT '' NOT NULL,
	"key_facts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"common_errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"never_say" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"updated_by" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "tutor_questions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tutor_questions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"question_hash" varchar(64) NOT NULL,
	"node_id" bigint,
	"question" jsonb NOT NULL,
	"question_key" jsonb NOT NULL
);--> statement-breakpoint
CREATE TABLE "tutor_step_counts" (
	"question_id" bigint NOT NULL,
	"choice" text NOT NULL,
	"try_number" integer NOT NULL,
	"with_hints" boolean NOT NULL,
	"answers" bigint NOT NULL,
	CONSTRAINT "tutor_step_counts_question_id_choice_try_number_with_hints_pk" PRIMARY KEY("question_id","choice","try_number","with_hints")
);--> statement-breakpoint
CREATE TABLE "tutor_steps" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tutor_steps_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer,
	"content_item_id" integer NOT NULL,
	"question_id" bigint NOT NULL,
	"question_hash" varchar(64) NOT NULL,
	"asked_message_id" bigint,
	"choice" text NOT NULL,
	"try_number" integer NOT NULL,
	"hints" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "warming_nodes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "warming_nodes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"warming_id" bigint NOT NULL,
	"path" jsonb NOT NULL,
	"level" integer NOT NULL,
	"expected_visits" bigint NOT NULL,
	"batch_id" bigint,
	"call_id" bigint,
	"state" text DEFAULT 'waiting' NOT NULL,
	CONSTRAINT "warming_nodes_state_check" CHECK ("warming_nodes"."state" in ('waiting', 'made', 'found', 'left_out', 'failed'))
);--> statement-breakpoint
CREATE TABLE "warmings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "warmings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"prompt_id" integer NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"prompt_version" integer NOT NULL,
	"model" varchar(255) NOT NULL,
	"prompt_fingerprint" varchar(64) NOT NULL,
	"content_fingerprint" varchar(64) NOT NULL,
	"by_batch" boolean DEFAULT true NOT NULL,
	"most_nodes" integer NOT NULL,
	"estimated_input_tokens" bigint DEFAULT 0 NOT NULL,
	"estimated_output_tokens" bigint DEFAULT 0 NOT NULL,
	"estimated_batch_input_tokens" bigint DEFAULT 0 NOT NULL,
	"estimated_batch_output_tokens" bigint DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"stop_reason" text,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "warmings_state_check" CHECK ("warmings"."state" in ('waiting', 'running', 'done', 'stopped')),
	CONSTRAINT "warmings_stop_reason_check" CHECK ("warmings"."stop_reason" in ('budget', 'llm', 'changed'))
);--> statement-breakpoint
ALTER TABLE "anonymous_codes" ADD CONSTRAINT "anonymous_codes_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "anonymous_codes" ADD CONSTRAINT "anonymous_codes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "anonymous_codes" ADD CONSTRAINT "anonymous_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_grader_readers" ADD CONSTRAINT "auto_grader_readers_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_grader_readers" ADD CONSTRAINT "auto_grader_readers_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_grader_readers" ADD CONSTRAINT "auto_grader_readers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_graders" ADD CONSTRAINT "auto_graders_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_graders" ADD CONSTRAINT "auto_graders_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificate_settings" ADD CONSTRAINT "certificate_settings_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_replaces_id_certificates_id_fk" FOREIGN KEY ("replaces_id") REFERENCES "public"."certificates"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_grades" ADD CONSTRAINT "course_grades_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_grades" ADD CONSTRAINT "course_grades_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_grades" ADD CONSTRAINT "course_grades_university_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_changed_by_user_id_users_id_fk" FOREIGN KEY ("changed_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grade_releases" ADD CONSTRAINT "grade_releases_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grade_releases" ADD CONSTRAINT "grade_releases_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading_schemes" ADD CONSTRAINT "grading_schemes_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "item_grades" ADD CONSTRAINT "item_grades_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "item_grades" ADD CONSTRAINT "item_grades_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "item_grades" ADD CONSTRAINT "item_grades_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_group_id_offering_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."offering_groups"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_claimed_by_user_id_users_id_fk" FOREIGN KEY ("claimed_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_graded_by_user_id_users_id_fk" FOREIGN KEY ("graded_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_pools" ADD CONSTRAINT "question_pools_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_pools" ADD CONSTRAINT "question_pools_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "question_versions" ADD CONSTRAINT "question_versions_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."questions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "questions" ADD CONSTRAINT "questions_question_pool_id_question_pools_id_fk" FOREIGN KEY ("question_pool_id") REFERENCES "public"."question_pools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempt_questions" ADD CONSTRAINT "quiz_attempt_questions_quiz_attempt_id_quiz_attempts_id_fk" FOREIGN KEY ("quiz_attempt_id") REFERENCES "public"."quiz_attempts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempt_questions" ADD CONSTRAINT "quiz_attempt_questions_version_fk" FOREIGN KEY ("question_id","version") REFERENCES "public"."question_versions"("question_id","version") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempt_questions" ADD CONSTRAINT "quiz_attempt_questions_graded_version_fk" FOREIGN KEY ("question_id","graded_version") REFERENCES "public"."question_versions"("question_id","version") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD CONSTRAINT "quiz_attempts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD CONSTRAINT "quiz_attempts_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD CONSTRAINT "quiz_attempts_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_overrides" ADD CONSTRAINT "quiz_overrides_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_overrides" ADD CONSTRAINT "quiz_overrides_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_overrides" ADD CONSTRAINT "quiz_overrides_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thrown_out_questions" ADD CONSTRAINT "thrown_out_questions_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thrown_out_questions" ADD CONSTRAINT "thrown_out_questions_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thrown_out_questions" ADD CONSTRAINT "thrown_out_questions_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."questions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_marks" ADD CONSTRAINT "submission_marks_submission_id_lab_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_marks" ADD CONSTRAINT "submission_marks_grader_id_users_id_fk" FOREIGN KEY ("grader_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_thread_id_discussion_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."discussion_threads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_parent_post_id_discussion_posts_id_fk" FOREIGN KEY ("parent_post_id","thread_id") REFERENCES "public"."discussion_posts"("id","thread_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_post_id_discussion_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."discussion_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_review_id_course_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."course_reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_learner_user_id_users_id_fk" FOREIGN KEY ("learner_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_answer_post_id_discussion_posts_id_fk" FOREIGN KEY ("answer_post_id","id") REFERENCES "public"."discussion_posts"("id","thread_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_thread_id_discussion_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."discussion_threads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_session_id_chat_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."chat_sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcard_decks" ADD CONSTRAINT "flashcard_decks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcard_reviews" ADD CONSTRAINT "flashcard_reviews_flashcard_id_flashcards_id_fk" FOREIGN KEY ("flashcard_id") REFERENCES "public"."flashcards"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_message_id_chat_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."chat_messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_deck_id_flashcard_decks_id_fk" FOREIGN KEY ("deck_id","user_id") REFERENCES "public"."flashcard_decks"("id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_ratings" ADD CONSTRAINT "course_ratings_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_reviews" ADD CONSTRAINT "course_reviews_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_reviews" ADD CONSTRAINT "course_reviews_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accommodations" ADD CONSTRAINT "accommodations_member_fk" FOREIGN KEY ("university_id","user_id") REFERENCES "public"."university_members"("university_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "university_offices" ADD CONSTRAINT "university_offices_member_fk" FOREIGN KEY ("university_id","user_id") REFERENCES "public"."university_members"("university_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcement_reads" ADD CONSTRAINT "announcement_reads_announcement_id_announcements_id_fk" FOREIGN KEY ("announcement_id") REFERENCES "public"."announcements"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcement_reads" ADD CONSTRAINT "announcement_reads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_addresses" ADD CONSTRAINT "calendar_addresses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_content_type_id_content_types_id_fk" FOREIGN KEY ("content_type_id") REFERENCES "public"."content_types"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_origin_item_id_content_items_id_fk" FOREIGN KEY ("origin_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_module_id_modules_id_fk" FOREIGN KEY ("module_id","course_id") REFERENCES "public"."modules"("id","course_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_prerequisites" ADD CONSTRAINT "course_prerequisites_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_prerequisites" ADD CONSTRAINT "course_prerequisites_prerequisite_course_id_courses_id_fk" FOREIGN KEY ("prerequisite_course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_subjects" ADD CONSTRAINT "course_subjects_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_subjects" ADD CONSTRAINT "course_subjects_subject_id_subjects_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."subjects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "courses" ADD CONSTRAINT "courses_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "courses" ADD CONSTRAINT "courses_primary_subject_id_subjects_id_fk" FOREIGN KEY ("primary_subject_id") REFERENCES "public"."subjects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "courses" ADD CONSTRAINT "courses_department_id_departments_id_fk" FOREIGN KEY ("department_id","university_id") REFERENCES "public"."departments"("id","university_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollment_progress" ADD CONSTRAINT "enrollment_progress_enrollments_fk" FOREIGN KEY ("user_id","course_offering_id") REFERENCES "public"."enrollments"("user_id","course_offering_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_exemptions" ADD CONSTRAINT "course_exemptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_exemptions" ADD CONSTRAINT "course_exemptions_granted_by_user_id_users_id_fk" FOREIGN KEY ("granted_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_exemptions" ADD CONSTRAINT "course_exemptions_prerequisite_fk" FOREIGN KEY ("prerequisite_course_id","course_id") REFERENCES "public"."course_prerequisites"("prerequisite_course_id","course_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_user_id_users_id_fk" FOREIGN KEY ("invited_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_accepted_by_user_id_users_id_fk" FOREIGN KEY ("accepted_by_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_department_id_departments_id_fk" FOREIGN KEY ("department_id","university_id") REFERENCES "public"."departments"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_prerequisite_fk" FOREIGN KEY ("prerequisite_course_id","course_id") REFERENCES "public"."course_prerequisites"("prerequisite_course_id","course_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "module_templates" ADD CONSTRAINT "module_templates_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_module_template_id_module_templates_id_fk" FOREIGN KEY ("module_template_id") REFERENCES "public"."module_templates"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_parent_module_id_modules_id_fk" FOREIGN KEY ("parent_module_id","course_id") REFERENCES "public"."modules"("id","course_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "due_reminders" ADD CONSTRAINT "due_reminders_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "due_reminders" ADD CONSTRAINT "due_reminders_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_discussion_post_id_discussion_posts_id_fk" FOREIGN KEY ("discussion_post_id") REFERENCES "public"."discussion_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_announcement_id_announcements_id_fk" FOREIGN KEY ("announcement_id") REFERENCES "public"."announcements"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_prompt_rollout_id_prompt_rollouts_id_fk" FOREIGN KEY ("prompt_rollout_id") REFERENCES "public"."prompt_rollouts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_mail_id_mail_outbox_id_fk" FOREIGN KEY ("mail_id") REFERENCES "public"."mail_outbox"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_dates" ADD CONSTRAINT "offering_dates_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_group_dates" ADD CONSTRAINT "offering_group_dates_group_fk" FOREIGN KEY ("group_id","course_offering_id") REFERENCES "public"."offering_groups"("id","course_offering_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_group_members" ADD CONSTRAINT "offering_group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_group_members" ADD CONSTRAINT "offering_group_members_group_fk" FOREIGN KEY ("group_id","course_offering_id") REFERENCES "public"."offering_groups"("id","course_offering_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_groups" ADD CONSTRAINT "offering_groups_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_offering_instructors" ADD CONSTRAINT "course_offering_instructors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_offering_instructors" ADD CONSTRAINT "course_offering_instructors_course_offering_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_term_id_terms_id_fk" FOREIGN KEY ("term_id","university_id") REFERENCES "public"."terms"("id","university_id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_popularity" ADD CONSTRAINT "course_popularity_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "course_popularity" ADD CONSTRAINT "course_popularity_subject_id_subjects_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."subjects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_content_progress" ADD CONSTRAINT "user_content_progress_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_content_progress" ADD CONSTRAINT "user_content_progress_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_content_progress" ADD CONSTRAINT "user_content_progress_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_module_progress" ADD CONSTRAINT "user_module_progress_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_module_progress" ADD CONSTRAINT "user_module_progress_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_module_progress" ADD CONSTRAINT "user_module_progress_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subjects" ADD CONSTRAINT "subjects_parent_subject_id_subjects_id_fk" FOREIGN KEY ("parent_subject_id") REFERENCES "public"."subjects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subjects" ADD CONSTRAINT "subjects_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "terms" ADD CONSTRAINT "terms_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_asset_id_assets_id_fk" FOREIGN KEY ("asset_id") REFERENCES "public"."assets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_submission_id_lab_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_graded_submission_id_lab_submissions_id_fk" FOREIGN KEY ("graded_submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_post_id_discussion_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."discussion_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."questions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_avatar_user_id_users_id_fk" FOREIGN KEY ("avatar_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_logo_university_id_universities_id_fk" FOREIGN KEY ("logo_university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_object_id_stored_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."stored_objects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_usage" ADD CONSTRAINT "file_usage_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_object_id_stored_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."stored_objects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_submission_id_lab_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_uploaded_by_user_id_users_id_fk" FOREIGN KEY ("uploaded_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_objects" ADD CONSTRAINT "stored_objects_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_days" ADD CONSTRAINT "upload_days_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_maker_id_users_id_fk" FOREIGN KEY ("maker_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_credentials" ADD CONSTRAINT "stored_credentials_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_credentials" ADD CONSTRAINT "stored_credentials_updated_by_users_id_fk" FOREIGN KEY ("updated_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "departments" ADD CONSTRAINT "departments_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erased_identifiers" ADD CONSTRAINT "erased_identifiers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erased_identifiers" ADD CONSTRAINT "erased_identifiers_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_accounts" ADD CONSTRAINT "former_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_accounts" ADD CONSTRAINT "former_accounts_former_user_id_users_id_fk" FOREIGN KEY ("former_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_identities" ADD CONSTRAINT "user_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_time_tokens" ADD CONSTRAINT "one_time_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_profiles" ADD CONSTRAINT "user_profiles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_subject_preferences" ADD CONSTRAINT "user_subject_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_subject_preferences" ADD CONSTRAINT "user_subject_preferences_subject_id_subjects_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."subjects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_department_id_departments_id_fk" FOREIGN KEY ("department_id","university_id") REFERENCES "public"."departments"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_member_fk" FOREIGN KEY ("university_id","user_id") REFERENCES "public"."university_members"("university_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saml_providers" ADD CONSTRAINT "saml_providers_identity_provider_id_identity_providers_id_fk" FOREIGN KEY ("identity_provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saml_refusals" ADD CONSTRAINT "saml_refusals_identity_provider_id_identity_providers_id_fk" FOREIGN KEY ("identity_provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "universities" ADD CONSTRAINT "universities_country_id_countries_id_fk" FOREIGN KEY ("country_id") REFERENCES "public"."countries"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "university_domains" ADD CONSTRAINT "university_domains_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "university_members" ADD CONSTRAINT "university_members_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "university_members" ADD CONSTRAINT "university_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "university_time_zones" ADD CONSTRAINT "university_time_zones_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_made_by_university_id_universities_id_fk" FOREIGN KEY ("made_by_university_id") REFERENCES "public"."universities"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cartridge_files" ADD CONSTRAINT "cartridge_files_import_id_cartridge_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."cartridge_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cartridge_files" ADD CONSTRAINT "cartridge_files_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cartridge_imports" ADD CONSTRAINT "cartridge_imports_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cartridge_imports" ADD CONSTRAINT "cartridge_imports_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cartridge_imports" ADD CONSTRAINT "cartridge_imports_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cartridge_parts" ADD CONSTRAINT "cartridge_parts_import_id_cartridge_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."cartridge_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cartridge_parts" ADD CONSTRAINT "cartridge_parts_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_rows" ADD CONSTRAINT "import_rows_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_rows" ADD CONSTRAINT "import_rows_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sourced_offerings" ADD CONSTRAINT "sourced_offerings_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sourced_offerings" ADD CONSTRAINT "sourced_offerings_course_offering_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sourced_people" ADD CONSTRAINT "sourced_people_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sourced_people" ADD CONSTRAINT "sourced_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_bound_by_user_id_users_id_fk" FOREIGN KEY ("bound_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id","university_id") REFERENCES "public"."lti_platforms"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_deployment_id_lti_deployments_id_fk" FOREIGN KEY ("deployment_id","platform_id") REFERENCES "public"."lti_deployments"("id","platform_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_contexts" ADD CONSTRAINT "lti_contexts_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_enrollments" ADD CONSTRAINT "lti_enrollments_enrollment_id_enrollments_id_fk" FOREIGN KEY ("enrollment_id") REFERENCES "public"."enrollments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_enrollments" ADD CONSTRAINT "lti_enrollments_context_id_lti_contexts_id_fk" FOREIGN KEY ("context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_links" ADD CONSTRAINT "lti_links_context_id_lti_contexts_id_fk" FOREIGN KEY ("context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_links" ADD CONSTRAINT "lti_links_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_links" ADD CONSTRAINT "lti_links_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_staff" ADD CONSTRAINT "offering_staff_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_staff" ADD CONSTRAINT "offering_staff_lti_context_id_lti_contexts_id_fk" FOREIGN KEY ("lti_context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offering_staff" ADD CONSTRAINT "offering_staff_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_launch_codes" ADD CONSTRAINT "lti_launch_codes_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_launch_codes" ADD CONSTRAINT "lti_launch_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_refused_launches" ADD CONSTRAINT "lti_refused_launches_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_people" ADD CONSTRAINT "lti_people_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_people" ADD CONSTRAINT "lti_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_deployments" ADD CONSTRAINT "lti_deployments_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_platforms" ADD CONSTRAINT "lti_platforms_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_rosters" ADD CONSTRAINT "lti_rosters_context_id_lti_contexts_id_fk" FOREIGN KEY ("context_id") REFERENCES "public"."lti_contexts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_rosters" ADD CONSTRAINT "lti_rosters_asked_by_user_id_users_id_fk" FOREIGN KEY ("asked_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_score_marks" ADD CONSTRAINT "lti_score_marks_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_score_marks" ADD CONSTRAINT "lti_score_marks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_score_marks" ADD CONSTRAINT "lti_score_marks_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_scores" ADD CONSTRAINT "lti_scores_link_id_lti_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."lti_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_scores" ADD CONSTRAINT "lti_scores_person_id_lti_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."lti_people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_service_pauses" ADD CONSTRAINT "lti_service_pauses_platform_id_lti_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."lti_platforms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_tool_deployments" ADD CONSTRAINT "lti_tool_deployments_tool_fk" FOREIGN KEY ("tool_id","university_id") REFERENCES "public"."lti_tools"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_tool_deployments" ADD CONSTRAINT "lti_tool_deployments_course_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_tools" ADD CONSTRAINT "lti_tools_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_roster_sources" ADD CONSTRAINT "one_roster_sources_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_roster_sources" ADD CONSTRAINT "one_roster_sources_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_roster_sources" ADD CONSTRAINT "one_roster_sources_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_group_id_scim_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."scim_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_scim_user_id_scim_users_id_fk" FOREIGN KEY ("scim_user_id") REFERENCES "public"."scim_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_groups" ADD CONSTRAINT "scim_groups_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_requests" ADD CONSTRAINT "scim_requests_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_requests" ADD CONSTRAINT "scim_requests_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scorm_attempts" ADD CONSTRAINT "scorm_attempts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scorm_attempts" ADD CONSTRAINT "scorm_attempts_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scorm_attempts" ADD CONSTRAINT "scorm_attempts_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scorm_packages" ADD CONSTRAINT "scorm_packages_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_made_by_user_id_users_id_fk" FOREIGN KEY ("made_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_decided_by_user_id_users_id_fk" FOREIGN KEY ("decided_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_erased_user_id_users_id_fk" FOREIGN KEY ("erased_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feature_requests" ADD CONSTRAINT "feature_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_archives" ADD CONSTRAINT "retention_archives_run_id_retention_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."retention_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_archives" ADD CONSTRAINT "retention_archives_object_id_stored_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."stored_objects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_archives" ADD CONSTRAINT "retention_archives_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_placed_by_user_id_users_id_fk" FOREIGN KEY ("placed_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_periods" ADD CONSTRAINT "retention_periods_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_policies" ADD CONSTRAINT "retention_policies_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_runs" ADD CONSTRAINT "retention_runs_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "llm_batches" ADD CONSTRAINT "llm_batches_trial_id_trials_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."trials"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "llm_batches" ADD CONSTRAINT "llm_batches_warming_id_warmings_id_fk" FOREIGN KEY ("warming_id") REFERENCES "public"."warmings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD CONSTRAINT "mail_outbox_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "answer_pins" ADD CONSTRAINT "answer_pins_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "answer_pins" ADD CONSTRAINT "answer_pins_pinned_by_users_id_fk" FOREIGN KEY ("pinned_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_parent_id_cache_nodes_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_visits" ADD CONSTRAINT "cache_visits_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failed_answers" ADD CONSTRAINT "failed_answers_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failed_answers" ADD CONSTRAINT "failed_answers_parent_id_cache_nodes_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failed_answers" ADD CONSTRAINT "failed_answers_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tree_changes" ADD CONSTRAINT "tree_changes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tree_changes" ADD CONSTRAINT "tree_changes_changed_by_users_id_fk" FOREIGN KEY ("changed_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tree_changes" ADD CONSTRAINT "tree_changes_undone_by_users_id_fk" FOREIGN KEY ("undone_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_session_id_chat_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."chat_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_in_reply_to_id_chat_messages_id_fk" FOREIGN KEY ("in_reply_to_id") REFERENCES "public"."chat_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_prompt_id_prompts_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."prompts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_rollout_id_prompt_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."prompt_rollouts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_aside_of_id_chat_sessions_id_fk" FOREIGN KEY ("aside_of_id") REFERENCES "public"."chat_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_cache_node_id_cache_nodes_id_fk" FOREIGN KEY ("cache_node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_feedback" ADD CONSTRAINT "message_feedback_message_id_chat_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."chat_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_feedback" ADD CONSTRAINT "message_feedback_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_pieces" ADD CONSTRAINT "generation_pieces_generation_id_generations_id_fk" FOREIGN KEY ("generation_id") REFERENCES "public"."generations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generations" ADD CONSTRAINT "generations_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generations" ADD CONSTRAINT "generations_question_id_chat_messages_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."chat_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generations" ADD CONSTRAINT "generations_parent_id_cache_nodes_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generations" ADD CONSTRAINT "generations_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_budgets" ADD CONSTRAINT "tutor_budgets_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_months" ADD CONSTRAINT "tutor_months_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_sources" ADD CONSTRAINT "message_sources_question_id_chat_messages_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."chat_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_sources" ADD CONSTRAINT "message_sources_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passage_measures" ADD CONSTRAINT "passage_measures_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_passage_id_passages_id_fk" FOREIGN KEY ("passage_id") REFERENCES "public"."passages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_dependencies" ADD CONSTRAINT "prompt_dependencies_prompt_id_prompts_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."prompts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_label_events" ADD CONSTRAINT "prompt_label_events_changed_by_users_id_fk" FOREIGN KEY ("changed_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_labels" ADD CONSTRAINT "prompt_labels_prompt_id_prompts_id_fk" FOREIGN KEY ("prompt_id","name") REFERENCES "public"."prompts"("id","name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompts" ADD CONSTRAINT "prompts_name_prompt_names_name_fk" FOREIGN KEY ("name") REFERENCES "public"."prompt_names"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompts" ADD CONSTRAINT "prompts_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_candidate_id_prompts_id_fk" FOREIGN KEY ("candidate_id") REFERENCES "public"."prompts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_base_id_prompts_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."prompts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_approved_by_users_id_fk" FOREIGN KEY ("approved_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_rollouts" ADD CONSTRAINT "prompt_rollouts_ended_by_users_id_fk" FOREIGN KEY ("ended_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_trial_id_trials_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."trials"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trial_votes" ADD CONSTRAINT "trial_votes_case_id_trial_cases_id_fk" FOREIGN KEY ("case_id") REFERENCES "public"."trial_cases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trial_votes" ADD CONSTRAINT "trial_votes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_notes" ADD CONSTRAINT "tutor_notes_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_notes" ADD CONSTRAINT "tutor_notes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_notes" ADD CONSTRAINT "tutor_notes_updated_by_users_id_fk" FOREIGN KEY ("updated_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_questions" ADD CONSTRAINT "tutor_questions_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_step_counts" ADD CONSTRAINT "tutor_step_counts_question_id_tutor_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."tutor_questions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_steps" ADD CONSTRAINT "tutor_steps_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tutor_steps" ADD CONSTRAINT "tutor_steps_question_id_tutor_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."tutor_questions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "warming_nodes" ADD CONSTRAINT "warming_nodes_warming_id_warmings_id_fk" FOREIGN KEY ("warming_id") REFERENCES "public"."warmings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "warmings" ADD CONSTRAINT "warmings_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "warmings" ADD CONSTRAINT "warmings_prompt_id_prompts_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."prompts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "anonymous_codes_user_id_index" ON "anonymous_codes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "anonymous_codes_content_item_id_index" ON "anonymous_codes" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "auto_grader_readers_content_item_id_index" ON "auto_grader_readers" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "auto_grader_readers_user_id_index" ON "auto_grader_readers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "auto_graders_content_item_id_index" ON "auto_graders" USING btree ("content_item_id");--> statement-breakpoint
CREATE UNIQUE INDEX "certificates_standing_unique" ON "certificates" USING btree ("user_id","course_offering_id") WHERE replaced_at is null;--> statement-breakpoint
CREATE INDEX "certificates_user_id_id_index" ON "certificates" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "certificates_course_offering_id_id_index" ON "certificates" USING btree ("course_offering_id","id");--> statement-breakpoint
CREATE INDEX "certificates_replaces_id_index" ON "certificates" USING btree ("replaces_id");--> statement-breakpoint
CREATE INDEX "certificates_withdrawn_index" ON "certificates" USING btree ("id") WHERE revoked_at is not null or replaced_at is not null;--> statement-breakpoint
CREATE INDEX "course_grades_course_offering_id_user_id_index" ON "course_grades" USING btree ("course_offering_id","user_id");--> statement-breakpoint
CREATE INDEX "course_grades_feed_index" ON "course_grades" USING btree ("university_id","change_number","id");--> statement-breakpoint
CREATE INDEX "grade_changes_course_offering_id_id_index" ON "grade_changes" USING btree ("course_offering_id","id");--> statement-breakpoint
CREATE INDEX "grade_changes_user_id_course_offering_id_id_index" ON "grade_changes" USING btree ("user_id","course_offering_id","id");--> statement-breakpoint
CREATE INDEX "grade_changes_content_item_id_index" ON "grade_changes" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "grade_changes_changed_by_user_id_index" ON "grade_changes" USING btree ("changed_by_user_id");--> statement-breakpoint
CREATE INDEX "grade_releases_content_item_id_index" ON "grade_releases" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "item_grades_user_id_index" ON "item_grades" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "item_grades_content_item_id_index" ON "item_grades" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "lab_submissions_user_id_submitted_at_id_index" ON "lab_submissions" USING btree ("user_id","submitted_at","id");--> statement-breakpoint
CREATE INDEX "lab_submissions_course_offering_id_submitted_at_id_index" ON "lab_submissions" USING btree ("course_offering_id","submitted_at","id");--> statement-breakpoint
CREATE INDEX "lab_submissions_to_grade_index" ON "lab_submissions" USING btree ("course_offering_id") WHERE status = 'submitted';--> statement-breakpoint
CREATE INDEX "lab_submissions_content_item_id_index" ON "lab_submissions" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "lab_submissions_claimed_by_user_id_index" ON "lab_submissions" USING btree ("claimed_by_user_id");--> statement-breakpoint
CREATE INDEX "lab_submissions_graded_by_user_id_index" ON "lab_submissions" USING btree ("graded_by_user_id");--> statement-breakpoint
CREATE INDEX "lab_submissions_group_id_index" ON "lab_submissions" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "lab_submissions_group_work_index" ON "lab_submissions" USING btree ("group_work") WHERE group_work is not null;--> statement-breakpoint
CREATE INDEX "lab_submissions_results_index" ON "lab_submissions" USING btree ("submitted_at","status","score_obtained","max_score","content_item_id");--> statement-breakpoint
CREATE INDEX "question_pools_course_id_id_index" ON "question_pools" USING btree ("course_id","id");--> statement-breakpoint
CREATE INDEX "question_pools_university_id_id_index" ON "question_pools" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "question_pools_search_index" ON "question_pools" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "question_pools_search_text_id_index" ON "question_pools" USING btree ("search_text","id");--> statement-breakpoint
CREATE INDEX "question_pools_university_id_search_text_id_index" ON "question_pools" USING btree ("university_id","search_text","id");--> statement-breakpoint
CREATE INDEX "questions_question_pool_id_id_index" ON "questions" USING btree ("question_pool_id","id");--> statement-breakpoint
CREATE INDEX "questions_text_index" ON "questions" USING btree (md5("question_text"));--> statement-breakpoint
CREATE INDEX "questions_search_index" ON "questions" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "quiz_attempt_questions_question_id_version_index" ON "quiz_attempt_questions" USING btree ("question_id","version");--> statement-breakpoint
CREATE INDEX "quiz_attempt_questions_question_id_graded_version_index" ON "quiz_attempt_questions" USING btree ("question_id","graded_version");--> statement-breakpoint
CREATE UNIQUE INDEX "quiz_attempts_open_unique" ON "quiz_attempts" USING btree ("user_id","course_offering_id","content_item_id") WHERE submitted_at is null;--> statement-breakpoint
CREATE INDEX "quiz_attempts_open_exam_index" ON "quiz_attempts" USING btree ("user_id") WHERE is_exam and submitted_at is null;--> statement-breakpoint
CREATE INDEX "quiz_attempts_deadline_index" ON "quiz_attempts" USING btree ("due_at") WHERE submitted_at is null;--> statement-breakpoint
CREATE INDEX "quiz_attempts_awaiting_index" ON "quiz_attempts" USING btree ("id") WHERE awaits_grading;--> statement-breakpoint
CREATE INDEX "quiz_attempts_course_offering_id_content_item_id_id_index" ON "quiz_attempts" USING btree ("course_offering_id","content_item_id","id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_content_item_id_index" ON "quiz_attempts" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_results_index" ON "quiz_attempts" USING btree ("submitted_at","passed","score_obtained","max_score");--> statement-breakpoint
CREATE INDEX "quiz_overrides_openings_index" ON "quiz_overrides" USING btree ("content_item_id","user_id") WHERE "quiz_overrides"."available_from" is not null;--> statement-breakpoint
CREATE INDEX "quiz_overrides_due_index" ON "quiz_overrides" USING btree ("due_at") WHERE "quiz_overrides"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "quiz_overrides_user_id_index" ON "quiz_overrides" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "quiz_overrides_content_item_id_index" ON "quiz_overrides" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "thrown_out_questions_content_item_id_index" ON "thrown_out_questions" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "thrown_out_questions_question_id_index" ON "thrown_out_questions" USING btree ("question_id");--> statement-breakpoint
CREATE INDEX "submission_marks_grader_id_index" ON "submission_marks" USING btree ("grader_id");--> statement-breakpoint
CREATE INDEX "discussion_posts_parent_post_id_index" ON "discussion_posts" USING btree ("parent_post_id");--> statement-breakpoint
CREATE INDEX "discussion_posts_user_id_index" ON "discussion_posts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "discussion_reports_course_offering_id_outcome_created_at_id_index" ON "discussion_reports" USING btree ("course_offering_id","outcome","created_at","id");--> statement-breakpoint
CREATE INDEX "discussion_reports_user_id_index" ON "discussion_reports" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_order_index" ON "discussion_threads" USING btree ("course_offering_id","is_pinned" DESC NULLS FIRST,"last_post_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "discussion_threads_answer_post_id_index" ON "discussion_threads" USING btree ("answer_post_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_module_id_index" ON "discussion_threads" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_content_item_id_index" ON "discussion_threads" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_created_by_user_id_index" ON "discussion_threads" USING btree ("created_by_user_id");--> statement-breakpoint
CREATE INDEX "discussion_threads_learner_user_id_index" ON "discussion_threads" USING btree ("learner_user_id") WHERE "discussion_threads"."learner_user_id" is not null;--> statement-breakpoint
CREATE INDEX "tutor_handovers_user_id_index" ON "tutor_handovers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tutor_handovers_session_id_index" ON "tutor_handovers" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "tutor_handovers_node_id_index" ON "tutor_handovers" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "flashcard_reviews_flashcard_id_reviewed_at_id_index" ON "flashcard_reviews" USING btree ("flashcard_id","reviewed_at","id");--> statement-breakpoint
CREATE INDEX "flashcards_user_id_due_id_index" ON "flashcards" USING btree ("user_id","due","id");--> statement-breakpoint
CREATE INDEX "flashcards_deck_id_due_id_index" ON "flashcards" USING btree ("deck_id","due","id");--> statement-breakpoint
CREATE INDEX "flashcards_content_item_id_index" ON "flashcards" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "flashcards_message_id_index" ON "flashcards" USING btree ("message_id");--> statement-breakpoint
CREATE UNIQUE INDEX "flashcards_question_key" ON "flashcards" USING btree ("user_id","content_item_id","question_hash") WHERE "flashcards"."question_hash" is not null;--> statement-breakpoint
CREATE INDEX "notes_user_id_created_at_id_index" ON "notes" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "notes_content_item_id_index" ON "notes" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "course_reviews_course_offering_id_created_at_id_index" ON "course_reviews" USING btree ("course_offering_id","created_at","id");--> statement-breakpoint
CREATE INDEX "accommodations_user_id_index" ON "accommodations" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "university_offices_user_id_index" ON "university_offices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "activity_events_user_id_occurred_at_id_index" ON "activity_events" USING btree ("user_id","occurred_at","id");--> statement-breakpoint
CREATE INDEX "activity_events_content_item_id_index" ON "activity_events" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "activity_events_university_id_occurred_at_index" ON "activity_events" USING btree ("university_id","occurred_at");--> statement-breakpoint
CREATE INDEX "activity_events_feed_index" ON "activity_events" USING btree ("university_id","change_number","id");--> statement-breakpoint
CREATE INDEX "activity_events_course_offering_id_user_id_occurred_at_index" ON "activity_events" USING btree ("course_offering_id","user_id","occurred_at");--> statement-breakpoint
CREATE INDEX "activity_events_occurred_at_index" ON "activity_events" USING brin ("occurred_at") WITH (autosummarize=true);--> statement-breakpoint
CREATE INDEX "announcement_reads_user_id_index" ON "announcement_reads" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "announcements_course_offering_id_published_at_id_index" ON "announcements" USING btree ("course_offering_id","published_at","id");--> statement-breakpoint
CREATE INDEX "announcements_university_id_published_at_id_index" ON "announcements" USING btree ("university_id","published_at","id");--> statement-breakpoint
CREATE INDEX "announcements_created_by_user_id_index" ON "announcements" USING btree ("created_by_user_id");--> statement-breakpoint
CREATE INDEX "announcements_of_university_index" ON "announcements" USING btree ("university_id","published_at") WHERE "announcements"."course_offering_id" is null;--> statement-breakpoint
CREATE INDEX "announcements_untold_index" ON "announcements" USING btree ("published_at") WHERE "announcements"."told_at" is null;--> statement-breakpoint
CREATE INDEX "assets_university_id_id_index" ON "assets" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "assets_file_id_index" ON "assets" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "assets_search_index" ON "assets" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "content_items_course_id_index" ON "content_items" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "content_items_content_type_id_index" ON "content_items" USING btree ("content_type_id");--> statement-breakpoint
CREATE INDEX "content_items_origin_item_id_index" ON "content_items" USING btree ("origin_item_id");--> statement-breakpoint
CREATE INDEX "content_items_due_index" ON "content_items" USING btree ("due_at") WHERE "content_items"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "content_items_pool_index" ON "content_items" USING btree (pool_of_quiz("data_json")) WHERE pool_of_quiz("content_items"."data_json") is not null;--> statement-breakpoint
CREATE INDEX "content_items_exams_index" ON "content_items" USING btree ("university_id",pool_of_quiz("data_json")) WHERE "content_items"."data_json" ->> 'quiz_mode' = 'exam';--> statement-breakpoint
CREATE INDEX "course_prerequisites_prerequisite_course_id_index" ON "course_prerequisites" USING btree ("prerequisite_course_id");--> statement-breakpoint
CREATE INDEX "course_subjects_subject_id_course_id_index" ON "course_subjects" USING btree ("subject_id","course_id");--> statement-breakpoint
CREATE INDEX "courses_department_id_id_index" ON "courses" USING btree ("department_id","id");--> statement-breakpoint
CREATE INDEX "courses_search_index" ON "courses" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "courses_search_text_id_index" ON "courses" USING btree ("search_text","id");--> statement-breakpoint
CREATE INDEX "courses_unpublished_index" ON "courses" USING btree ("id") WHERE not "courses"."is_published";--> statement-breakpoint
CREATE INDEX "courses_university_id_search_text_id_index" ON "courses" USING btree ("university_id","search_text","id");--> statement-breakpoint
CREATE INDEX "courses_code_id_index" ON "courses" USING btree ("code","id");--> statement-breakpoint
CREATE INDEX "courses_primary_subject_id_id_index" ON "courses" USING btree ("primary_subject_id","id");--> statement-breakpoint
CREATE INDEX "courses_level_id_index" ON "courses" USING btree ("level","id");--> statement-breakpoint
CREATE INDEX "courses_language_index" ON "courses" USING btree (split_part(lower("language_code"), '-', 1),"id");--> statement-breakpoint
CREATE INDEX "courses_credit_hours_id_index" ON "courses" USING btree ("credit_hours","id");--> statement-breakpoint
CREATE INDEX "enrollment_progress_course_offering_id_user_id_index" ON "enrollment_progress" USING btree ("course_offering_id","user_id");--> statement-breakpoint
CREATE INDEX "enrollments_university_id_user_id_index" ON "enrollments" USING btree ("university_id","user_id");--> statement-breakpoint
CREATE INDEX "enrollments_user_id_enrolled_at_id_index" ON "enrollments" USING btree ("user_id","enrolled_at","id");--> statement-breakpoint
CREATE INDEX "enrollments_roster_index" ON "enrollments" USING btree ("course_offering_id","status","enrolled_at","id","user_id","completion_source");--> statement-breakpoint
CREATE INDEX "enrollments_dropped_at_index" ON "enrollments" USING btree ("dropped_at");--> statement-breakpoint
CREATE INDEX "course_exemptions_prerequisite_course_id_course_id_index" ON "course_exemptions" USING btree ("prerequisite_course_id","course_id");--> statement-breakpoint
CREATE INDEX "course_exemptions_user_id_index" ON "course_exemptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "course_exemptions_granted_by_user_id_index" ON "course_exemptions" USING btree ("granted_by_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_open_key" ON "invitations" USING btree ("university_id","email",coalesce("role", ''),coalesce("department_id", 0),coalesce("course_offering_id", 0),"teaches",coalesce("course_id", 0),coalesce("prerequisite_course_id", 0)) WHERE accepted_at is null and revoked_at is null;--> statement-breakpoint
CREATE INDEX "invitations_email_index" ON "invitations" USING btree ("email") WHERE accepted_at is null and revoked_at is null;--> statement-breakpoint
CREATE INDEX "invitations_university_id_id_index" ON "invitations" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "invitations_search_index" ON "invitations" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "invitations_department_id_index" ON "invitations" USING btree ("department_id");--> statement-breakpoint
CREATE INDEX "invitations_course_offering_id_index" ON "invitations" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "invitations_prerequisite_course_id_course_id_index" ON "invitations" USING btree ("prerequisite_course_id","course_id");--> statement-breakpoint
CREATE INDEX "invitations_invited_by_user_id_index" ON "invitations" USING btree ("invited_by_user_id");--> statement-breakpoint
CREATE INDEX "invitations_accepted_by_user_id_index" ON "invitations" USING btree ("accepted_by_user_id");--> statement-breakpoint
CREATE INDEX "invitations_university_id_sourced_id_index" ON "invitations" USING btree ("university_id","sourced_id") WHERE sourced_id is not null;--> statement-breakpoint
CREATE INDEX "module_templates_university_id_id_index" ON "module_templates" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "module_templates_university_id_search_text_id_index" ON "module_templates" USING btree ("university_id","search_text","id");--> statement-breakpoint
CREATE INDEX "modules_parent_module_id_sequence_index_index" ON "modules" USING btree ("parent_module_id","sequence_index");--> statement-breakpoint
CREATE INDEX "modules_root_index" ON "modules" USING btree ("course_id","sequence_index") WHERE "modules"."parent_module_id" is null;--> statement-breakpoint
CREATE INDEX "modules_hidden_index" ON "modules" USING btree ("course_id") WHERE not "modules"."is_published";--> statement-breakpoint
CREATE INDEX "modules_module_template_id_index" ON "modules" USING btree ("module_template_id");--> statement-breakpoint
CREATE INDEX "modules_due_index" ON "modules" USING btree ("due_at") WHERE "modules"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "due_reminders_content_item_id_index" ON "due_reminders" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "due_reminders_due_at_index" ON "due_reminders" USING btree ("due_at");--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_cause_unique" ON "notifications" USING btree ("user_id","kind","cause");--> statement-breakpoint
CREATE INDEX "notifications_user_id_id_index" ON "notifications" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "notifications_mail_due_index" ON "notifications" USING btree ("mail_due_at") WHERE "notifications"."mail_due_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_mail_id_index" ON "notifications" USING btree ("mail_id");--> statement-breakpoint
CREATE INDEX "notifications_created_at_index" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_course_offering_id_index" ON "notifications" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "notifications_content_item_id_index" ON "notifications" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "notifications_discussion_post_id_index" ON "notifications" USING btree ("discussion_post_id");--> statement-breakpoint
CREATE INDEX "notifications_announcement_id_user_id_index" ON "notifications" USING btree ("announcement_id","user_id");--> statement-breakpoint
CREATE INDEX "notifications_prompt_rollout_id_index" ON "notifications" USING btree ("prompt_rollout_id") WHERE "notifications"."prompt_rollout_id" is not null;--> statement-breakpoint
CREATE INDEX "offering_dates_module_id_index" ON "offering_dates" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "offering_dates_content_item_id_index" ON "offering_dates" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "offering_dates_openings_index" ON "offering_dates" USING btree ("course_id") WHERE "offering_dates"."available_from" is not null;--> statement-breakpoint
CREATE INDEX "offering_dates_due_index" ON "offering_dates" USING btree ("due_at") WHERE "offering_dates"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "offering_dates_course_id_index" ON "offering_dates" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "offering_group_dates_course_offering_id_index" ON "offering_group_dates" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "offering_group_dates_module_id_index" ON "offering_group_dates" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "offering_group_dates_content_item_id_index" ON "offering_group_dates" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "offering_group_dates_course_id_index" ON "offering_group_dates" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "offering_group_dates_openings_index" ON "offering_group_dates" USING btree ("course_id") WHERE "offering_group_dates"."available_from" is not null;--> statement-breakpoint
CREATE INDEX "offering_group_dates_due_index" ON "offering_group_dates" USING btree ("due_at") WHERE "offering_group_dates"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "offering_group_members_course_offering_id_user_id_index" ON "offering_group_members" USING btree ("course_offering_id","user_id");--> statement-breakpoint
CREATE INDEX "offering_group_members_user_id_index" ON "offering_group_members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "offering_groups_course_offering_id_id_index" ON "offering_groups" USING btree ("course_offering_id","id");--> statement-breakpoint
CREATE INDEX "course_offering_instructors_user_id_index" ON "course_offering_instructors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "course_offerings_course_id_id_index" ON "course_offerings" USING btree ("course_id","id");--> statement-breakpoint
CREATE INDEX "course_offerings_university_id_id_index" ON "course_offerings" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "course_offerings_term_id_id_index" ON "course_offerings" USING btree ("term_id","id");--> statement-breakpoint
CREATE INDEX "course_offerings_starts_at_id_index" ON "course_offerings" USING btree ("starts_at","id");--> statement-breakpoint
CREATE INDEX "course_offerings_university_id_starts_at_id_index" ON "course_offerings" USING btree ("university_id","starts_at","id");--> statement-breakpoint
CREATE INDEX "course_offerings_private_index" ON "course_offerings" USING btree ("id") WHERE "course_offerings"."visibility" = 'private';--> statement-breakpoint
CREATE INDEX "course_offerings_enrollment_start_index" ON "course_offerings" USING btree ("enrollment_start");--> statement-breakpoint
CREATE INDEX "course_offerings_enrollment_end_index" ON "course_offerings" USING btree ("enrollment_end");--> statement-breakpoint
CREATE INDEX "course_popularity_subject_id_enrollments_course_id_index" ON "course_popularity" USING btree ("subject_id","enrollments" DESC NULLS FIRST,"course_id");--> statement-breakpoint
CREATE INDEX "user_content_progress_course_offering_id_index" ON "user_content_progress" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "user_content_progress_item_index" ON "user_content_progress" USING btree ("content_item_id","completed_at","course_offering_id","user_id");--> statement-breakpoint
CREATE INDEX "user_content_progress_started_index" ON "user_content_progress" USING btree ("first_started_at","course_offering_id","completed_at");--> statement-breakpoint
CREATE INDEX "user_content_progress_completed_index" ON "user_content_progress" USING btree ("completed_at","course_offering_id");--> statement-breakpoint
CREATE INDEX "user_module_progress_tree_index" ON "user_module_progress" USING btree ("course_offering_id","user_id","module_id","started_at","completed_at");--> statement-breakpoint
CREATE INDEX "user_module_progress_module_id_index" ON "user_module_progress" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "subjects_parent_subject_id_id_index" ON "subjects" USING btree ("parent_subject_id","id");--> statement-breakpoint
CREATE INDEX "subjects_domain_id_id_index" ON "subjects" USING btree ("domain_id","id");--> statement-breakpoint
CREATE INDEX "terms_university_id_starts_on_id_index" ON "terms" USING btree ("university_id","starts_on","id");--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_once_unique" ON "file_uses" USING btree ("file_id") WHERE asset_id is null and content_item_id is null and course_id is null and question_id is null;--> statement-breakpoint
CREATE INDEX "file_uses_file_id_index" ON "file_uses" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "file_uses_asset_id_index" ON "file_uses" USING btree ("asset_id");--> statement-breakpoint
CREATE INDEX "file_uses_content_item_id_index" ON "file_uses" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "file_uses_submission_id_index" ON "file_uses" USING btree ("submission_id");--> statement-breakpoint
CREATE INDEX "file_uses_graded_submission_id_index" ON "file_uses" USING btree ("graded_submission_id");--> statement-breakpoint
CREATE INDEX "file_uses_post_id_index" ON "file_uses" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "file_uses_question_id_index" ON "file_uses" USING btree ("question_id");--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_course_id_unique" ON "file_uses" USING btree ("course_id");--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_avatar_user_id_unique" ON "file_uses" USING btree ("avatar_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_logo_university_id_unique" ON "file_uses" USING btree ("logo_university_id");--> statement-breakpoint
CREATE INDEX "file_texts_waiting_index" ON "file_texts" USING btree ("object_id") WHERE read_at is null;--> statement-breakpoint
CREATE INDEX "files_object_id_index" ON "files" USING btree ("object_id");--> statement-breakpoint
CREATE INDEX "files_university_id_id_index" ON "files" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "files_course_id_index" ON "files" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "files_course_offering_id_index" ON "files" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "files_content_item_id_index" ON "files" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "files_submission_id_index" ON "files" USING btree ("submission_id");--> statement-breakpoint
CREATE INDEX "files_uploaded_by_user_id_id_index" ON "files" USING btree ("uploaded_by_user_id","id");--> statement-breakpoint
CREATE INDEX "files_pending_index" ON "files" USING btree ("created_at") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "files_checking_index" ON "files" USING btree ("id") WHERE state = 'checking';--> statement-breakpoint
CREATE INDEX "files_loose_index" ON "files" USING btree ("loose_since") WHERE loose_since is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "stored_objects_bytes_unique" ON "stored_objects" USING btree ("university_id","sha256") WHERE going_at is null;--> statement-breakpoint
CREATE INDEX "stored_objects_unused_index" ON "stored_objects" USING btree ("unused_since") WHERE unused_since is not null;--> statement-breakpoint
CREATE INDEX "stored_objects_going_index" ON "stored_objects" USING btree ("going_at") WHERE going_at is not null;--> statement-breakpoint
CREATE INDEX "upload_days_day_index" ON "upload_days" USING btree ("day");--> statement-breakpoint
CREATE INDEX "api_keys_university_id_id_index" ON "api_keys" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "api_keys_maker_id_index" ON "api_keys" USING btree ("maker_id");--> statement-breakpoint
CREATE INDEX "audit_events_university_id_id_index" ON "audit_events" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_subject_id_id_index" ON "audit_events" USING btree ("subject_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_actor_id_id_index" ON "audit_events" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_action_id_index" ON "audit_events" USING btree ("action","id");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_events_refused_key" ON "audit_events" USING btree ("actor_id",("details" ->> 'operation'),date_trunc('hour', "occurred_at" at time zone 'UTC')) WHERE action = 'access.refused';--> statement-breakpoint
CREATE INDEX "stored_credentials_updated_by_index" ON "stored_credentials" USING btree ("updated_by");--> statement-breakpoint
CREATE INDEX "stored_credentials_university_id_index" ON "stored_credentials" USING btree ("university_id");--> statement-breakpoint
CREATE INDEX "erased_identifiers_identifier_index" ON "erased_identifiers" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "erased_identifiers_user_id_index" ON "erased_identifiers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "erased_identifiers_university_id_index" ON "erased_identifiers" USING btree ("university_id");--> statement-breakpoint
CREATE INDEX "former_accounts_former_user_id_index" ON "former_accounts" USING btree ("former_user_id");--> statement-breakpoint
CREATE INDEX "user_identities_user_id_index" ON "user_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "identity_providers_issuer_index" ON "identity_providers" USING btree ("issuer");--> statement-breakpoint
CREATE INDEX "login_failures_until_index" ON "login_failures" USING btree ("until");--> statement-breakpoint
CREATE INDEX "one_time_tokens_user_id_index" ON "one_time_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "one_time_tokens_expires_at_index" ON "one_time_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "user_subject_preferences_subject_id_index" ON "user_subject_preferences" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "user_university_roles_university_id_id_index" ON "user_university_roles" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "user_university_roles_university_id_user_id_index" ON "user_university_roles" USING btree ("university_id","user_id");--> statement-breakpoint
CREATE INDEX "user_university_roles_role_university_id_user_id_index" ON "user_university_roles" USING btree ("role","university_id","user_id");--> statement-breakpoint
CREATE INDEX "user_university_roles_department_id_index" ON "user_university_roles" USING btree ("department_id");--> statement-breakpoint
CREATE INDEX "saml_providers_metadata_tried_at_index" ON "saml_providers" USING btree ("metadata_tried_at");--> statement-breakpoint
CREATE INDEX "universities_country_id_index" ON "universities" USING btree ("country_id");--> statement-breakpoint
CREATE INDEX "universities_search_index" ON "universities" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "universities_search_text_id_index" ON "universities" USING btree ("search_text","id");--> statement-breakpoint
CREATE INDEX "universities_own_provider_index" ON "universities" USING btree ("id") WHERE requires_own_provider;--> statement-breakpoint
CREATE INDEX "university_members_university_id_search_text_user_id_index" ON "university_members" USING btree ("university_id","search_text","user_id");--> statement-breakpoint
CREATE INDEX "university_members_university_id_email_user_id_index" ON "university_members" USING btree ("university_id","email","user_id");--> statement-breakpoint
CREATE INDEX "university_members_university_id_created_at_user_id_index" ON "university_members" USING btree ("university_id","created_at","user_id");--> statement-breakpoint
CREATE INDEX "university_members_family_name_index" ON "university_members" USING btree ("university_id",coalesce(searched(family_name), ''),"search_text","user_id");--> statement-breakpoint
CREATE INDEX "university_members_names_index" ON "university_members" USING gin (searched(coalesce(given_name, '') || ' ' || coalesce(family_name, '')) gin_trgm_ops) WHERE given_name is not null or family_name is not null;--> statement-breakpoint
CREATE INDEX "university_members_user_id_index" ON "university_members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "university_members_tokens_ended_index" ON "university_members" USING btree ("user_id") WHERE tokens_ended_at is not null;--> statement-breakpoint
CREATE INDEX "users_created_at_id_index" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_search_index" ON "users" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_search_text_id_index" ON "users" USING btree ("search_text","id");--> statement-breakpoint
CREATE INDEX "users_email_index" ON "users" USING btree (coalesce("email", ''),"id");--> statement-breakpoint
CREATE INDEX "users_name_index" ON "users" USING btree (folded("full_name"));--> statement-breakpoint
CREATE INDEX "users_inactive_index" ON "users" USING btree ("id") WHERE not "users"."is_active";--> statement-breakpoint
CREATE INDEX "users_erased_index" ON "users" USING btree ("erased_at") WHERE "users"."erased_at" is not null;--> statement-breakpoint
CREATE INDEX "users_made_by_university_id_index" ON "users" USING btree ("made_by_university_id") WHERE "users"."made_by_university_id" is not null;--> statement-breakpoint
CREATE INDEX "users_last_activity_date_index" ON "users" USING btree ("last_activity_date");--> statement-breakpoint
CREATE INDEX "cartridge_files_file_id_index" ON "cartridge_files" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "cartridge_imports_course_id_id_index" ON "cartridge_imports" USING btree ("course_id","id");--> statement-breakpoint
CREATE INDEX "cartridge_imports_created_by_user_id_index" ON "cartridge_imports" USING btree ("created_by_user_id");--> statement-breakpoint
CREATE INDEX "cartridge_imports_file_id_index" ON "cartridge_imports" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "cartridge_imports_unfinished_index" ON "cartridge_imports" USING btree ("id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "cartridge_imports_ended_at_index" ON "cartridge_imports" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "cartridge_parts_waiting_index" ON "cartridge_parts" USING btree ("import_id","is_last","number") WHERE outcome is null;--> statement-breakpoint
CREATE INDEX "cartridge_parts_module_id_index" ON "cartridge_parts" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "import_rows_waiting_index" ON "import_rows" USING btree ("import_id","id") WHERE outcome is null;--> statement-breakpoint
CREATE INDEX "import_rows_import_id_outcome_id_index" ON "import_rows" USING btree ("import_id","outcome","id");--> statement-breakpoint
CREATE INDEX "import_rows_import_id_sourced_id_index" ON "import_rows" USING btree ("import_id","sourced_id");--> statement-breakpoint
CREATE INDEX "import_rows_email_index" ON "import_rows" USING btree ("email");--> statement-breakpoint
CREATE INDEX "import_rows_user_id_index" ON "import_rows" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "imports_university_id_id_index" ON "imports" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "imports_created_by_user_id_index" ON "imports" USING btree ("created_by_user_id");--> statement-breakpoint
CREATE INDEX "imports_unfinished_index" ON "imports" USING btree ("id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "imports_ended_at_index" ON "imports" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "sourced_offerings_course_offering_id_index" ON "sourced_offerings" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "sourced_offerings_university_id_course_sourced_id_index" ON "sourced_offerings" USING btree ("university_id","course_sourced_id");--> statement-breakpoint
CREATE INDEX "sourced_people_user_id_university_id_id_index" ON "sourced_people" USING btree ("user_id","university_id","id");--> statement-breakpoint
CREATE INDEX "lti_contexts_deployment_id_index" ON "lti_contexts" USING btree ("deployment_id");--> statement-breakpoint
CREATE INDEX "lti_contexts_course_offering_id_index" ON "lti_contexts" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "lti_contexts_bound_by_user_id_index" ON "lti_contexts" USING btree ("bound_by_user_id");--> statement-breakpoint
CREATE INDEX "lti_enrollments_context_id_index" ON "lti_enrollments" USING btree ("context_id");--> statement-breakpoint
CREATE INDEX "lti_links_content_item_id_index" ON "lti_links" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "lti_links_module_id_index" ON "lti_links" USING btree ("module_id");--> statement-breakpoint
CREATE INDEX "lti_links_line_item_url_index" ON "lti_links" USING btree ("line_item_url");--> statement-breakpoint
CREATE INDEX "offering_staff_user_id_index" ON "offering_staff" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "offering_staff_lti_context_id_index" ON "offering_staff" USING btree ("lti_context_id");--> statement-breakpoint
CREATE INDEX "lti_launch_codes_platform_id_index" ON "lti_launch_codes" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "lti_launch_codes_user_id_index" ON "lti_launch_codes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "lti_launch_codes_expires_at_index" ON "lti_launch_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "lti_refused_launches_day_index" ON "lti_refused_launches" USING btree ("day");--> statement-breakpoint
CREATE INDEX "lti_people_user_id_index" ON "lti_people" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "lti_people_platform_id_last_launched_at_index" ON "lti_people" USING btree ("platform_id","last_launched_at");--> statement-breakpoint
CREATE INDEX "lti_rosters_due_index" ON "lti_rosters" USING btree (greatest(due_at, coalesce(lease_until, due_at)));--> statement-breakpoint
CREATE INDEX "lti_rosters_asked_by_user_id_index" ON "lti_rosters" USING btree ("asked_by_user_id");--> statement-breakpoint
CREATE INDEX "lti_score_marks_course_offering_id_index" ON "lti_score_marks" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "lti_score_marks_user_id_index" ON "lti_score_marks" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "lti_score_marks_content_item_id_index" ON "lti_score_marks" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "lti_scores_person_id_index" ON "lti_scores" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "lti_scores_due_index" ON "lti_scores" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "lti_tool_deployments_tool_id_university_id_index" ON "lti_tool_deployments" USING btree ("tool_id","university_id");--> statement-breakpoint
CREATE INDEX "lti_tool_deployments_course_id_university_id_index" ON "lti_tool_deployments" USING btree ("course_id","university_id");--> statement-breakpoint
CREATE INDEX "lti_tools_university_id_index" ON "lti_tools" USING btree ("university_id");--> statement-breakpoint
CREATE INDEX "one_roster_sources_due_index" ON "one_roster_sources" USING btree (greatest(due_at, coalesce(lease_until, due_at)));--> statement-breakpoint
CREATE INDEX "one_roster_sources_created_by_user_id_index" ON "one_roster_sources" USING btree ("created_by_user_id");--> statement-breakpoint
CREATE INDEX "one_roster_sources_import_id_index" ON "one_roster_sources" USING btree ("import_id");--> statement-breakpoint
CREATE INDEX "scim_group_members_scim_user_id_index" ON "scim_group_members" USING btree ("scim_user_id");--> statement-breakpoint
CREATE INDEX "scim_groups_university_id_id_index" ON "scim_groups" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "scim_requests_api_key_id_index" ON "scim_requests" USING btree ("api_key_id");--> statement-breakpoint
CREATE INDEX "scim_requests_asked_at_index" ON "scim_requests" USING btree ("asked_at");--> statement-breakpoint
CREATE UNIQUE INDEX "scim_users_user_name_key" ON "scim_users" USING btree ("university_id",lower("user_name"));--> statement-breakpoint
CREATE INDEX "scim_users_university_id_email_index" ON "scim_users" USING btree ("university_id","email");--> statement-breakpoint
CREATE INDEX "scim_users_university_id_id_index" ON "scim_users" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "scim_users_user_id_index" ON "scim_users" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "scorm_attempts_course_offering_id_content_item_id_id_index" ON "scorm_attempts" USING btree ("course_offering_id","content_item_id","id");--> statement-breakpoint
CREATE INDEX "scorm_attempts_content_item_id_index" ON "scorm_attempts" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "data_requests_university_id_id_index" ON "data_requests" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "data_requests_user_id_index" ON "data_requests" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "data_requests_made_by_user_id_index" ON "data_requests" USING btree ("made_by_user_id");--> statement-breakpoint
CREATE INDEX "data_requests_decided_by_user_id_index" ON "data_requests" USING btree ("decided_by_user_id");--> statement-breakpoint
CREATE INDEX "data_requests_erased_user_id_index" ON "data_requests" USING btree ("erased_user_id");--> statement-breakpoint
CREATE INDEX "data_requests_approved_index" ON "data_requests" USING btree ("id") WHERE "data_requests"."state" = 'approved';--> statement-breakpoint
CREATE UNIQUE INDEX "data_requests_open_unique" ON "data_requests" USING btree ("university_id","user_id","kind") WHERE "data_requests"."state" in ('open', 'approved');--> statement-breakpoint
CREATE INDEX "feature_requests_user_id_created_at_id_index" ON "feature_requests" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "feature_requests_status_created_at_id_index" ON "feature_requests" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "feature_requests_created_at_id_index" ON "feature_requests" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "retention_archives_university_id_index" ON "retention_archives" USING btree ("university_id");--> statement-breakpoint
CREATE INDEX "retention_archives_run_id_index" ON "retention_archives" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "retention_archives_object_id_index" ON "retention_archives" USING btree ("object_id");--> statement-breakpoint
CREATE INDEX "retention_archives_ends_at_index" ON "retention_archives" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "retention_holds_university_id_id_index" ON "retention_holds" USING btree ("university_id","id");--> statement-breakpoint
CREATE INDEX "retention_holds_user_id_index" ON "retention_holds" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "retention_holds_course_offering_id_index" ON "retention_holds" USING btree ("course_offering_id");--> statement-breakpoint
CREATE INDEX "retention_holds_placed_by_user_id_index" ON "retention_holds" USING btree ("placed_by_user_id");--> statement-breakpoint
CREATE INDEX "retention_runs_university_id_id_index" ON "retention_runs" USING btree ("university_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "retention_runs_open_unique" ON "retention_runs" USING btree ("university_id") WHERE "retention_runs"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "llm_batches_open_trial_key" ON "llm_batches" USING btree ("trial_id") WHERE "llm_batches"."state" in ('gathering', 'sending', 'sent');--> statement-breakpoint
CREATE UNIQUE INDEX "llm_batches_open_warming_key" ON "llm_batches" USING btree ("warming_id") WHERE "llm_batches"."state" in ('gathering', 'sending', 'sent');--> statement-breakpoint
CREATE INDEX "llm_batches_trial_id_index" ON "llm_batches" USING btree ("trial_id");--> statement-breakpoint
CREATE INDEX "llm_batches_warming_id_index" ON "llm_batches" USING btree ("warming_id");--> statement-breakpoint
CREATE INDEX "llm_batches_open_index" ON "llm_batches" USING btree ("leased_until") WHERE "llm_batches"."state" in ('gathering', 'sending', 'sent');--> statement-breakpoint
CREATE INDEX "llm_batches_sent_at_index" ON "llm_batches" USING btree ("sent_at");--> statement-breakpoint
CREATE INDEX "mail_outbox_turn_index" ON "mail_outbox" USING btree ((kind = 'notifications'),"due_at","id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "mail_outbox_ended_at_index" ON "mail_outbox" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "mail_outbox_address_kind_created_at_index" ON "mail_outbox" USING btree ("address","kind","created_at");--> statement-breakpoint
CREATE INDEX "mail_outbox_user_id_index" ON "mail_outbox" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mail_outbox_waiting_key" ON "mail_outbox" USING btree ("kind","address") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "rate_limits_ends_at_index" ON "rate_limits" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "activity_days_day_index" ON "activity_days" USING btree ("day");--> statement-breakpoint
CREATE INDEX "activity_days_course_id_day_index" ON "activity_days" USING btree ("course_id","day");--> statement-breakpoint
CREATE INDEX "activity_days_user_id_day_index" ON "activity_days" USING btree ("user_id","day");--> statement-breakpoint
CREATE INDEX "activity_months_person_index" ON "activity_months" USING btree ("user_id","content_item_id","course_id","month");--> statement-breakpoint
CREATE INDEX "activity_months_topic_index" ON "activity_months" USING btree ("user_id","content_item_id","month","questions") WHERE "activity_months"."content_item_id" is not null;--> statement-breakpoint
CREATE INDEX "activity_months_month_index" ON "activity_months" USING brin ("month") WITH (autosummarize=true);--> statement-breakpoint
CREATE INDEX "course_trees_course_id_index" ON "course_trees" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "course_trees_user_id_index" ON "course_trees" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "report_months_measure_month_index" ON "report_months" USING btree ("measure","month");--> statement-breakpoint
CREATE INDEX "report_months_course_id_month_index" ON "report_months" USING btree ("course_id","month");--> statement-breakpoint
CREATE INDEX "report_months_university_id_month_index" ON "report_months" USING btree ("university_id","month");--> statement-breakpoint
CREATE INDEX "report_totals_measure_day_index" ON "report_totals" USING btree ("measure","day");--> statement-breakpoint
CREATE INDEX "report_totals_kept_index" ON "report_totals" USING btree ("course_id","measure") WHERE "report_totals"."is_kept";--> statement-breakpoint
CREATE INDEX "report_totals_offering_index" ON "report_totals" USING btree ("course_offering_id","day") WHERE "report_totals"."course_offering_id" is not null;--> statement-breakpoint
CREATE INDEX "report_totals_course_id_day_index" ON "report_totals" USING btree ("course_id","day");--> statement-breakpoint
CREATE INDEX "stale_outlines_course_id_index" ON "stale_outlines" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "tree_totals_is_month_day_index" ON "tree_totals" USING btree ("is_month","day");--> statement-breakpoint
CREATE UNIQUE INDEX "answer_pins_key" ON "answer_pins" USING btree ("content_item_id","path_hash","asked_hash");--> statement-breakpoint
CREATE INDEX "answer_pins_pinned_by_index" ON "answer_pins" USING btree ("pinned_by");--> statement-breakpoint
CREATE INDEX "cache_nodes_edited_by_index" ON "cache_nodes" USING btree ("edited_by");--> statement-breakpoint
CREATE UNIQUE INDEX "cache_nodes_key" ON "cache_nodes" USING btree ("node_key");--> statement-breakpoint
CREATE INDEX "cache_nodes_roots" ON "cache_nodes" USING btree ("content_item_id") WHERE parent_id is null;--> statement-breakpoint
CREATE INDEX "cache_nodes_content_item_id_id_index" ON "cache_nodes" USING btree ("content_item_id","id");--> statement-breakpoint
CREATE INDEX "cache_nodes_parent_id_index" ON "cache_nodes" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "cache_nodes_last_used_at_index" ON "cache_nodes" USING btree ("last_used_at");--> statement-breakpoint
CREATE INDEX "cache_visits_node_id_index" ON "cache_visits" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "failed_answers_content_item_id_created_at_index" ON "failed_answers" USING btree ("content_item_id","created_at");--> statement-breakpoint
CREATE INDEX "failed_answers_parent_id_index" ON "failed_answers" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "failed_answers_node_id_index" ON "failed_answers" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "tree_changes_content_item_id_id_index" ON "tree_changes" USING btree ("content_item_id","id");--> statement-breakpoint
CREATE INDEX "tree_changes_node_id_index" ON "tree_changes" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "tree_changes_changed_by_index" ON "tree_changes" USING btree ("changed_by");--> statement-breakpoint
CREATE INDEX "tree_changes_undone_by_index" ON "tree_changes" USING btree ("undone_by");--> statement-breakpoint
CREATE INDEX "tree_changes_changed_at_index" ON "tree_changes" USING btree ("changed_at") WHERE "tree_changes"."removed" is not null;--> statement-breakpoint
CREATE INDEX "chat_messages_session_id_id_index" ON "chat_messages" USING btree ("session_id","id");--> statement-breakpoint
CREATE INDEX "chat_messages_created_at_index" ON "chat_messages" USING brin ("created_at") WITH (autosummarize=true);--> statement-breakpoint
CREATE UNIQUE INDEX "chat_messages_client_message_id_key" ON "chat_messages" USING btree ("session_id","client_message_id") WHERE "chat_messages"."client_message_id" is not null;--> statement-breakpoint
CREATE INDEX "chat_sessions_user_id_created_at_id_index" ON "chat_sessions" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "chat_sessions_created_at_index" ON "chat_sessions" USING brin ("created_at") WITH (autosummarize=true);--> statement-breakpoint
CREATE INDEX "chat_sessions_content_item_id_index" ON "chat_sessions" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "chat_sessions_cache_node_id_index" ON "chat_sessions" USING btree ("cache_node_id");--> statement-breakpoint
CREATE INDEX "chat_sessions_prompt_id_index" ON "chat_sessions" USING btree ("prompt_id") WHERE "chat_sessions"."prompt_id" is not null;--> statement-breakpoint
CREATE INDEX "chat_sessions_rollout_id_rollout_arm_id_index" ON "chat_sessions" USING btree ("rollout_id","rollout_arm","id") WHERE "chat_sessions"."rollout_id" is not null;--> statement-breakpoint
CREATE INDEX "chat_sessions_aside_of_id_index" ON "chat_sessions" USING btree ("aside_of_id") WHERE "chat_sessions"."aside_of_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "chat_sessions_open_aside_key" ON "chat_sessions" USING btree ("aside_of_id") WHERE "chat_sessions"."aside_of_id" is not null and "chat_sessions"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "message_feedback_node_id_index" ON "message_feedback" USING btree ("node_id");--> statement-breakpoint
CREATE UNIQUE INDEX "generations_class_key" ON "generations" USING btree ("node_key") WHERE state = 'writing';--> statement-breakpoint
CREATE UNIQUE INDEX "generations_private_key" ON "generations" USING btree ("question_id") WHERE state = 'writing';--> statement-breakpoint
CREATE INDEX "generations_content_item_id_index" ON "generations" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "generations_question_id_index" ON "generations" USING btree ("question_id");--> statement-breakpoint
CREATE INDEX "generations_parent_id_index" ON "generations" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "generations_node_id_index" ON "generations" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "generations_created_at_index" ON "generations" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "llm_calls_user_id_started_at_index" ON "llm_calls" USING btree ("user_id","started_at");--> statement-breakpoint
CREATE INDEX "llm_calls_university_id_started_at_index" ON "llm_calls" USING btree ("university_id","started_at");--> statement-breakpoint
CREATE INDEX "llm_calls_course_id_index" ON "llm_calls" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "llm_calls_content_item_id_index" ON "llm_calls" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "llm_calls_message_id_index" ON "llm_calls" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "llm_calls_started_at_index" ON "llm_calls" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "llm_calls_estimated_index" ON "llm_calls" USING btree ("started_at") WHERE "llm_calls"."usage_estimated";--> statement-breakpoint
CREATE INDEX "llm_calls_open_index" ON "llm_calls" USING btree ("started_at") WHERE "llm_calls"."outcome" = 'started';--> statement-breakpoint
CREATE INDEX "message_sources_content_item_id_index" ON "message_sources" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "passage_measures_looked_at_course_id_index" ON "passage_measures" USING btree ("looked_at","course_id");--> statement-breakpoint
CREATE INDEX "passage_measures_waiting_index" ON "passage_measures" USING btree ("looked_at","course_id") WHERE "passage_measures"."last_question_id" is not null;--> statement-breakpoint
CREATE INDEX "prompt_dependencies_child_name_index" ON "prompt_dependencies" USING btree ("child_name");--> statement-breakpoint
CREATE INDEX "prompt_label_events_name_changed_at_id_index" ON "prompt_label_events" USING btree ("name","changed_at","id");--> statement-breakpoint
CREATE INDEX "prompt_label_events_changed_by_index" ON "prompt_label_events" USING btree ("changed_by");--> statement-breakpoint
CREATE INDEX "prompt_labels_prompt_id_index" ON "prompt_labels" USING btree ("prompt_id");--> statement-breakpoint
CREATE INDEX "prompt_labels_label_index" ON "prompt_labels" USING btree ("label");--> statement-breakpoint
CREATE INDEX "prompts_created_by_index" ON "prompts" USING btree ("created_by");--> statement-breakpoint
CREATE UNIQUE INDEX "prompt_rollouts_running_key" ON "prompt_rollouts" USING btree ("prompt_name") WHERE state = 'running';--> statement-breakpoint
CREATE INDEX "prompt_rollouts_to_warm_index" ON "prompt_rollouts" USING btree ("id") WHERE warmed_to is not null;--> statement-breakpoint
CREATE INDEX "prompt_rollouts_prompt_name_id_index" ON "prompt_rollouts" USING btree ("prompt_name","id");--> statement-breakpoint
CREATE INDEX "prompt_rollouts_candidate_id_index" ON "prompt_rollouts" USING btree ("candidate_id");--> statement-breakpoint
CREATE INDEX "prompt_rollouts_base_id_index" ON "prompt_rollouts" USING btree ("base_id");--> statement-breakpoint
CREATE INDEX "prompt_rollouts_author_id_index" ON "prompt_rollouts" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "prompt_rollouts_approved_by_index" ON "prompt_rollouts" USING btree ("approved_by");--> statement-breakpoint
CREATE INDEX "prompt_rollouts_ended_by_index" ON "prompt_rollouts" USING btree ("ended_by");--> statement-breakpoint
CREATE INDEX "trial_cases_trial_id_id_index" ON "trial_cases" USING btree ("trial_id","id");--> statement-breakpoint
CREATE INDEX "trial_cases_content_item_id_index" ON "trial_cases" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "trial_cases_open_index" ON "trial_cases" USING btree ("trial_id","id") WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX "trial_cases_running_index" ON "trial_cases" USING btree ("leased_until") WHERE state = 'running';--> statement-breakpoint
CREATE INDEX "trial_cases_batch_index" ON "trial_cases" USING btree ("batch_id") WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX "trial_votes_user_id_index" ON "trial_votes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "trials_course_id_index" ON "trials" USING btree ("course_id");--> statement-breakpoint
CREATE INDEX "trials_prompt_name_version_id_index" ON "trials" USING btree ("prompt_name","version","id");--> statement-breakpoint
CREATE INDEX "trials_created_by_index" ON "trials" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "trials_running_index" ON "trials" USING btree ("id") WHERE state = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "tutor_notes_key" ON "tutor_notes" USING btree ("course_id",coalesce(content_item_id, 0));--> statement-breakpoint
CREATE INDEX "tutor_notes_content_item_id_index" ON "tutor_notes" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "tutor_notes_updated_by_index" ON "tutor_notes" USING btree ("updated_by");--> statement-breakpoint
CREATE UNIQUE INDEX "tutor_questions_key" ON "tutor_questions" USING btree ("content_item_id","question_hash",coalesce(node_id, 0),(case when node_id is null then question_key ->> 'answer' else '' end));--> statement-breakpoint
CREATE INDEX "tutor_questions_node_id_index" ON "tutor_questions" USING btree ("node_id") WHERE "tutor_questions"."node_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "tutor_steps_try_key" ON "tutor_steps" USING btree ("user_id","content_item_id","question_hash","try_number");--> statement-breakpoint
CREATE INDEX "tutor_steps_question_id_index" ON "tutor_steps" USING btree ("question_id");--> statement-breakpoint
CREATE INDEX "warming_nodes_warming_id_id_index" ON "warming_nodes" USING btree ("warming_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "warmings_open_key" ON "warmings" USING btree ("content_item_id") WHERE "warmings"."state" in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX "warmings_content_item_id_id_index" ON "warmings" USING btree ("content_item_id","id");--> statement-breakpoint
CREATE INDEX "warmings_prompt_id_index" ON "warmings" USING btree ("prompt_id");--> statement-breakpoint
alter table content_items
  drop constraint content_items_order_unique,
  add constraint content_items_order_unique unique (module_id, sequence_index) deferrable;--> statement-breakpoint
-- Deferred to the end of a statement, so one update can renumber all siblings.
alter table modules
  drop constraint modules_sibling_order_unique,
  add constraint modules_sibling_order_unique
    unique nulls not distinct (course_id, parent_module_id, sequence_index) deferrable;
