export default {
  service: {
    input: "./openapi.json",
    output: { target: "./service.ts", client: "fetch", baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
