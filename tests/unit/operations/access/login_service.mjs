// A login service of others: node login_service.mjs PORT REDIRECT_URI SECRET
import Provider from "oidc-provider";

const [port, redirectUri, secret] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "elcano-page", client_secret: secret, redirect_uris: [redirectUri] }],
  scopes: ["openid", "profile", "email", "roles"],
  claims: { openid: ["sub"], profile: ["name"], email: ["email"], roles: ["roles"] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, roles: ["researcher"] }) }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
