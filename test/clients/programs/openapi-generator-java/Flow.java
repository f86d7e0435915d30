import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.ObservationsApi;
import org.openapitools.client.api.RepositoriesApi;
import org.openapitools.client.model.ErrorEnvelope;
import org.openapitools.client.model.Job;
import org.openapitools.client.model.JobSubmission;
import org.openapitools.client.model.ObservationKind;
import org.openapitools.client.model.ObservationStatus;
import org.openapitools.client.model.PageOfObservation;
import org.openapitools.client.model.RepositoryRegistration;

class Flow {
  interface Call {
    void go() throws ApiException;
  }

  static String url;

  static ApiClient client(String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  static Job submit(String key, String org, String repository, String workflow) throws ApiException {
    JobSubmission body = new JobSubmission().workflow(workflow).params(Map.of());
    return new JobsApi(client(key)).submitJob(org, repository, "main", body, null, null);
  }

  static String codeOf(Call call) throws Exception {
    try {
      call.go();
    } catch (ApiException refusal) {
      return client("").getObjectMapper().readValue(refusal.getResponseBody(), ErrorEnvelope.class).getError().getCode();
    }
    return null;
  }

  public static void main(String[] args) throws Exception {
    url = args[0];
    String full = args[1], broke = args[2], slow = args[3], done = args[4];
    List<String> refs = new ArrayList<>();
    Map<String, Object> seen = new LinkedHashMap<>();
    PageOfObservation page = null;
    while (page == null || page.getNextCursor() != null) {
      String cursor = page == null ? null : page.getNextCursor();
      page = new ObservationsApi(client(full)).listObservations(ObservationKind.FINDING, ObservationStatus.NEW,
          null, null, null, null, null, null, null, null, null, null, null, cursor, 20);
      if (refs.isEmpty()) seen.put("acknowledged", page.getData().get(0).getAcknowledgedAt());
      page.getData().forEach(one -> refs.add(one.getRef()));
    }
    RepositoryRegistration body = new RepositoryRegistration().owner("octocat").repo("hello-world").branch("main");
    seen.put("discover", new RepositoriesApi(client(full)).registerRepo(body).getDiscoverJobId());
    Job job = submit(full, "acme", "web", "audit");
    seen.put("refs", refs);
    seen.put("hasMore", page.getHasMore());
    seen.put("job", List.of(job.getId(), job.getWorkflow(), job.getStatus().getValue()));
    String limited = null;
    while (limited == null) limited = codeOf(() -> new JobsApi(client(slow)).listJobs(null, null));
    seen.put("codes", Arrays.asList(
        codeOf(() -> submit(broke, "broke-co", "site", "audit")),
        codeOf(() -> new JobsApi(client(full)).cancelJob(done)),
        codeOf(() -> submit(full, "acme", "web", "mini_audit")),
        limited));
    System.out.println(new ObjectMapper().writeValueAsString(seen));
  }
}
