// SPDX-License-Identifier: GPL-2.0

#include <algorithm>
#include <cerrno>
#include <vector>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include "hough.h"

/* Gradients: an edge begins above the upper one and continues above the lower one. */
static const double canny_low = 60, canny_high = 150;

/* Minimum points and length of a line, maximum gap; for a width of 320 points. */
static const int votes = 22, length = 18, gap = 12;

/* The road: a trapezoid below the horizon. */
static void only_road(cv::Mat &edges, int horizon)
{
	int width = edges.cols, height = edges.rows;
	cv::Mat road = cv::Mat::zeros(edges.size(), CV_8UC1);
	std::vector<cv::Point> corners = {
		{ 0, height - 1 }, { width * 7 / 16, horizon }, { width * 9 / 16, horizon },
		{ width - 1, height - 1 },
	};

	cv::fillConvexPoly(road, corners, cv::Scalar(255));
	cv::bitwise_and(edges, road, edges);
}

static int find(cv::Mat picture, int horizon, struct segment *segments, int max)
{
	std::vector<cv::Vec4i> lines;
	cv::Mat edges;
	int i, n, width = picture.cols;

	cv::GaussianBlur(picture, picture, cv::Size(5, 5), 0);
	cv::Canny(picture, edges, canny_low, canny_high);
	only_road(edges, horizon);
	cv::HoughLinesP(edges, lines, 1, CV_PI / 180, votes * width / 320, length * width / 320,
			gap * width / 320);
	n = std::min(max, static_cast<int>(lines.size()));
	for (i = 0; i < n; i++)
		segments[i] = { lines[i][0], lines[i][1], lines[i][2], lines[i][3] };
	return n;
}

/**
 * hough_segments() - find straight lines on a road
 * @grey: brightness of the points; overwritten
 * @width: width of the picture
 * @height: height of the picture
 * @horizon: row of the horizon
 * @segments: filled in
 * @max: size of @segments
 *
 * One thread, so that the result does not depend on the number of processors.
 *
 * Return: the number of segments; -ENOMEM if OpenCV fails.
 */
extern "C" int hough_segments(uint8_t *grey, int width, int height, int horizon,
			      struct segment *segments, int max)
{
	try {
		cv::setNumThreads(1);
		return find(cv::Mat(height, width, CV_8UC1, grey), horizon, segments, max);
	} catch (const std::exception &) {
		return -ENOMEM;
	}
}
