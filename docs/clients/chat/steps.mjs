// What each program tries: seven steps, of which it prints how each went; see steps.py.
export const [BASE, CUT, NAME] = process.argv.slice(2);
export const QUESTION = `To whom do retries belong? (${NAME})`;
export const SECOND = `Since when? (${NAME})`;
export const SLOW = `To whom do retries slowly belong? (${NAME})`;
export const LEFT = `To whom do retries slowly belong if the client leaves? (${NAME})`;
export const SLOW_CUT = `To whom do retries slowly belong if the connection is cut? (${NAME})`;

export function answered(text) {
  if (!text?.includes("[1]")) throw new Error(`no report: ${text?.slice(0, 200)}`);
  return `${text.length} characters`;
}

export async function refused(call) {
  try {
    await call();
  } catch (error) {
    const said = `${error.message} ${error.responseBody ?? ""}`;
    if (!said.includes("telepathy")) throw new Error(`says nothing of it: ${said}`);
    return error.name;
  }
  throw new Error("no error");
}

export async function run(steps) {
  for (const name of ["ask", "stream", "second_turn", "cancel", "error", "slow", "cut"]) {
    try {
      console.log(`${name}\tok\t${await steps[name]()}`);
    } catch (error) {
      console.log(`${name}\tfailed\t${error.name}: ${String(error.message).replaceAll(/\s+/g, " ").slice(0, 400)}`);
    }
  }
}
