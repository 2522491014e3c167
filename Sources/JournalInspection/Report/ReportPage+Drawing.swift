/// How the page draws the timeline and the growth, and lists drafts.
extension ReportPage {
  static let drawing = #"""
    // Canvases are drawn in their own pixels, whatever the screen has.
    function surface(canvas) {
      const scale = window.devicePixelRatio || 1;
      const width = canvas.clientWidth, height = canvas.clientHeight;
      canvas.width = Math.max(1, Math.round(width * scale));
      canvas.height = Math.max(1, Math.round(height * scale));
      const context = canvas.getContext("2d");
      context.scale(scale, scale);
      return { context, width, height };
    }

    const color = name => getComputedStyle(document.documentElement).getPropertyValue(name);
    let bars = null;                 // by pixel: the most changes of a commit, and the most events before one

    function drawTimeline() {
      const { context, width, height } = surface(byID("timeline"));
      const length = report.commits.length, columns = Math.max(1, Math.min(width, length));
      if (!bars || bars.width !== width) {
        bars = { width, changes: new Float64Array(columns), events: new Float64Array(columns),
          objects: new Float64Array(columns), most: 1, mostEvents: 1, mostObjects: 1 };
        report.commits.forEach((commit, place) => {
          const column = Math.min(columns - 1, Math.floor(place * columns / length));
          const events = report.events[place] ?? 0;
          bars.changes[column] = Math.max(bars.changes[column], commit.changes.length);
          bars.events[column] = Math.max(bars.events[column], events);
          bars.objects[column] = commit.objectCount;
          bars.most = Math.max(bars.most, commit.changes.length);
          bars.mostEvents = Math.max(bars.mostEvents, events);
          bars.mostObjects = Math.max(bars.mostObjects, commit.objectCount);
        });
      }
      const step = width / columns, gap = step > 3 ? 1 : 0;
      // Changes stand up from the middle and events hang down; a few among many are seen by the scale's root.
      const middle = height * .6;
      context.fillStyle = color("--bar");
      for (let column = 0; column < columns; column++) {
        const up = Math.sqrt(bars.changes[column] / bars.most) * (middle - 4);
        context.fillRect(column * step, middle - up, step - gap, up);
        context.globalAlpha = .5;
        const down = Math.sqrt(bars.events[column] / bars.mostEvents) * (height - middle - 2);
        context.fillRect(column * step, middle + 1, step - gap, down);
        context.globalAlpha = 1;
      }
      context.strokeStyle = color("--faint");
      context.beginPath();
      for (let column = 0; column < columns; column++) {
        const y = middle - bars.objects[column] / bars.mostObjects * (middle - 4);
        if (column === 0) context.moveTo(step / 2, y); else context.lineTo((column + .5) * step, y);
      }
      context.stroke();
      context.fillStyle = color("--accent");
      const x = (view.place + .5) * width / length;
      context.fillRect(Math.min(width - 2, Math.max(0, x - 1)), 0, 2, height);
    }

    function drawGrowth() {
      const { context, width, height } = surface(byID("growth"));
      const points = report.growth.map(point => [Date.parse(point.date.slice(0, 23).replace("Z", "") + "Z"), point.bytes]);
      if (points.length < 1) return;
      const begin = points[0][0], end = points[points.length - 1][0], most = Math.max(1, ...points.map(point => point[1]));
      const x = date => end > begin ? (date - begin) / (end - begin) * (width - 2) + 1 : 1;
      const counts = new Float64Array(Math.max(1, Math.floor(width)));
      for (const commit of report.commits) {
        const place = Math.floor(x(Date.parse(commit.date.slice(0, 23).replace("Z", "") + "Z")));
        if (place >= 0 && place < counts.length) counts[place]++;
      }
      const busiest = Math.max(1, ...counts);
      context.fillStyle = color("--bar");
      counts.forEach((number, place) => {
        const up = Math.sqrt(number / busiest) * (height - 4);
        context.fillRect(place, height - up, 1, up);
      });
      context.strokeStyle = color("--accent");
      context.beginPath();
      points.forEach(([date, size], index) => {
        const y = height - 2 - size / most * (height - 6);
        if (index === 0) context.moveTo(x(date), y); else context.lineTo(x(date), y);
      });
      context.stroke();
      byID("growth-text").textContent =
        `${time(report.growth[0].date)} to ${time(report.growth[report.growth.length - 1].date)} UTC: the line is the journal's `
        + `size, ${bytes(points[points.length - 1][1])} now; the bars are commits.`;
    }

    function showDrafts() {
      const box = byID("drafts");
      for (const doubt of report.doubts) box.append(element("p", doubt));
      if (!report.drafts.length && !report.doubts.length) box.textContent = "Nothing is unsaved.";
      for (const draft of report.drafts) {
        const name = draft.name ? ` “${draft.name}”` : "";
        box.append(element("div", `Draft ${draft.context}${name}: ${count(draft.edits, "edit")} on commit ${draft.base}, `
          + `begun ${time(draft.date)} UTC` + (draft.problem ? `; incomplete: ${draft.problem}` : "")));
        const table = element("table"), body = element("tbody");
        for (const change of draft.changes ?? []) {
          for (const key of Object.keys(change.values)) {
            const value = change.values[key];
            body.append(row([change.object, key, element("span", words(value.old), "old"),
              element("span", words(value.new), "new")]));
          }
        }
        table.append(body);
        box.append(table);
      }
    }

    """#
}
