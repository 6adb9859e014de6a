import java.util.ArrayList;
import java.util.List;
import platform.ApiClient;
import platform.ApiException;
import platform.api.*;
import platform.auth.HttpBearerAuth;
import platform.model.*;

/** The learner's main job through the client that was generated for Java. */
public class Learner {
  public static void main(String[] arguments) throws Exception {
    String base = arguments[0], code = arguments[3];
    ApiClient client = new ApiClient();
    client.setBasePath(base);

    TokenPair tokens = new AuthenticationApi(client)
        .login(new Credentials().email(arguments[1]).password(arguments[2])).execute();
    ((HttpBearerAuth) client.getAuthentication("accessToken")).setBearerToken(tokens.getAccessToken());

    CoursesApi courses = new CoursesApi(client);
    List<CourseSummary> listed = courses.listCourses().limit(20).execute();
    CourseSummary course = listed.stream().filter(one -> code.equals(one.getCode())).findFirst().get();
    Offering offering = courses.listCourseOfferings(course.getId()).limit(1).execute().get(0);
    Enrollment enrollment = new EnrollmentsApi(client)
        .createEnrollment(new EnrollmentCreate().courseOfferingId(offering.getId())).execute();
    Outline outline = courses.getCourseOfferingOutline(course.getId(), offering.getId()).execute();
    OutlineItem item = outline.getModules().stream()
        .flatMap(module -> module.getItems().stream()).findFirst().get();

    ChatApi chat = new ChatApi(client);
    ChatSession session = chat.createChatSession(new ChatSessionCreate().contentItemId(item.getId())).execute();
    String text = chat.sendChatMessage(session.getId(), new ChatMessageCreate().content("Start.")).execute();
    List<TutorEvent> events = new ArrayList<>();
    for (String line : text.split("\n"))
      if (line.startsWith("data: "))
        events.add(TutorEvent.fromJson(line.substring(6)));
    TutorEvent end = events.get(events.size() - 1);

    ProgressApi progress = new ProgressApi(client);
    progress.recordContentProgress(new ContentProgressPost()
        .contentItemId(item.getId()).courseOfferingId(offering.getId())
        .progressPercent(new java.math.BigDecimal(50))).execute();
    ContentProgress mine = progress.listMyContentProgress().courseOfferingId(offering.getId()).execute().stream()
        .filter(one -> one.getContentItemId().equals(item.getId())).findFirst().get();
    String missing = "";
    try {
      courses.getCourse(2147483647).execute();
    } catch (ApiException error) {
      missing = ErrorAnswer.fromJson(error.getResponseBody()).getDetail();
    }

    System.out.printf(
        "{\"courses\": %d, \"enrollment\": \"%s\", \"words\": %d, \"ended\": %b, \"question\": \"%s\", "
            + "\"progress\": %d, \"missing\": \"%s\"}%n",
        listed.size(), enrollment.getStatus(), events.stream().mapToInt(one -> one.getContent().length()).sum(),
        end.getDone() && end.getMessageId() != null, end.getQuestion().getQuestionId(),
        mine.getProgressPercent().intValue(), missing);
  }
}
