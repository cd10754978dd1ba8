"use strict";
// Follows a job until it has ended; without it the page loads itself again.
const box = document.getElementById("job");
const part = (name) => box.querySelector(`[data-of="${name}"]`);

async function look() {
  const answer = await fetch(`/api/v1/code/jobs/${box.dataset.job}`, { cache: "no-store" });
  if (!answer.ok) throw new Error(String(answer.status));
  const job = await answer.json();
  if (job.state !== "waiting" && job.state !== "running") {
    location.reload();
    return true;
  }
  const bar = document.getElementById("progress");
  bar.max = Math.max(job.progress.n_problems, 1);
  bar.value = job.progress.n_done;
  const said = {
    state: job.state,
    place: job.place ? `: number ${job.place} in the queue` : "",
    done: `${job.progress.n_done} of ${job.progress.n_problems}`,
  };
  for (const [name, text] of Object.entries(said)) {
    if (part(name).textContent !== text) part(name).textContent = text;
  }
  return false;
}

async function follow() {
  let wait = 3000;
  try {
    if (await look()) return;
  } catch {
    wait = 15000; // the board is away for a while
  }
  setTimeout(follow, wait);
}

setTimeout(follow, 1000);
