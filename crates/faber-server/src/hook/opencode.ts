// Written by `faber hook install opencode`, which overwrites changes.
import { spawn } from "node:child_process"

const EVENTS = []
const SECONDS = 10

export const FaberPlugin = async ({ directory }) => {
  const sessions = new Set()
  const subagents = new Set()

  // Text for the model; none if faber is missing, fails or has nothing new.
  const ask = (name, session, fields) =>
    new Promise((resolve) => {
      if (!EVENTS.includes(name)) return resolve("")
      const faber = spawn("faber", ["hook", "run", "--client", "opencode"], {
        cwd: directory,
        stdio: ["pipe", "pipe", "ignore"],
        timeout: SECONDS * 1000,
      })
      let answer = ""
      faber.stdout.on("data", (data) => (answer += data))
      faber.on("error", () => resolve(""))
      faber.on("close", () => {
        try {
          resolve(JSON.parse(answer).additionalContext ?? "")
        } catch {
          resolve("")
        }
      })
      faber.stdin.on("error", () => {})
      const agent_id = subagents.has(session) ? session : undefined
      const event = { hook_event_name: name, session_id: session, cwd: directory, agent_id, ...fields }
      faber.stdin.end(JSON.stringify(event))
    })

  return {
    event: async ({ event }) => {
      const { info, sessionID } = event.properties ?? {}
      if (event.type === "session.created" && info?.parentID) subagents.add(info.id)
      if (event.type === "session.compacted") {
        await ask("session.compacted", sessionID, {})
        // What always loads is given again.
        sessions.delete(sessionID)
      }
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      const start = sessions.has(sessionID) ? "" : await ask("session.created", sessionID, {})
      sessions.add(sessionID)
      const text = [start, await ask("chat.message", sessionID, { prompt })].filter(Boolean).join("\n\n")
      const last = parts.at(-1)
      if (!text || !last) return
      // Parts are sorted by id.
      const id = `${last.id}z`
      parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      const text = await ask("tool.execute.after", sessionID, { tool_name: tool, tool_input: args })
      if (text) output.output += `\n\n${text}`
    },
  }
}
